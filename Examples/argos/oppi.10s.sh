#!/bin/sh
# For Argos on GNOME: the 10s in its name says how often it runs. kargos and xbar read the same.
exec /usr/local/bin/oppi status --format argos
