#!/bin/sh
# For Argos on GNOME: copy to ~/.config/argos/oppi.10s.sh and make it executable. The 10s in its name
# says how often it runs. kargos and xbar read the same.
exec ~/.local/bin/oppi status --format argos
