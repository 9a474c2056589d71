#!/bin/sh
sh /app/tools.sh checksum
