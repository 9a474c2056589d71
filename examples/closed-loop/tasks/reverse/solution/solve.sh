#!/bin/sh
sh /app/tools.sh reverse
