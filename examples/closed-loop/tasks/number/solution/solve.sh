#!/bin/sh
sh /app/tools.sh number
