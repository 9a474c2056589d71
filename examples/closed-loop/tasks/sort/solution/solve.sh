#!/bin/sh
sh /app/tools.sh sort
