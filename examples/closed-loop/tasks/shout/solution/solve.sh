#!/bin/sh
sh /app/tools.sh shout
