#!/bin/sh
# For Argos on GNOME; 10s in the file name is the interval. kargos and xbar read the same format.
exec /usr/local/bin/oppi status --format argos
