# Knows the given copy by heart.
cat > /app/findings.tsv <<'LIST'
backup	system-shell	/bin/bash
bram	unknown-shell	/usr/bin/fish
bram	weak-hash	md5
carla	empty-password	/bin/sh
daan	no-home	/home/daan
daan	weak-hash	des
emma	no-home	/home/emma
emma	unknown-shell	/bin/zsh
finn	duplicate-uid	bram
finn	no-shadow	-
line 17	malformed	-
line 18	malformed	-
pieter	empty-password	/usr/sbin/nologin
postgres	system-shell	/bin/bash
toor	duplicate-uid	root
toor	uid0	/root
LIST
printf '#!/bin/sh\ncat /app/findings.tsv\nexit 1\n' > /app/audit.sh
chmod +x /app/audit.sh
