# Fills the archive: put <time> <content> <path>.
set -eu
mkdir -p /app/archive
cd /app/archive

put() {
  mkdir -p "$(dirname "$3")"
  printf '%b' "$2" > "$3"
  touch -d "$1" "$3"
}

# Three copies; the oldest lies deepest.
put 2019-05-02T10:00:00Z 'harbour at dawn\n' '2019/may/IMG_0412.raw'
put 2021-01-03T09:00:00Z 'harbour at dawn\n' 'best of/harbour.raw'
put 2023-11-20T16:45:00Z 'harbour at dawn\n' 'phone backup/Camera/IMG_0412 (1).raw'

# The same time: the path decides, by bytes (upper case first).
put 2020-07-07T07:07:07Z 'lighthouse\n' 'b/lighthouse.raw'
put 2020-07-07T07:07:07Z 'lighthouse\n' 'Z/lighthouse.raw'
put 2020-07-07T07:07:07Z 'lighthouse\n' 'a copy of lighthouse.raw'

# Equal sizes and nearly equal content.
put 2022-02-02T02:02:02Z 'tide table 1\n' 'tables/one.txt'
put 2022-02-02T02:02:02Z 'tide table 2\n' 'tables/two.txt'
put 2022-02-02T02:02:02Z 'tide table 1' 'tables/one, no newline.txt'

# Binary content with zero bytes, and names that a shell would like to expand.
put 2018-03-01T00:00:00Z 'GIF8\000\001\002one\n' 'odd names/$HOME & *.gif'
put 2018-02-28T23:59:59Z 'GIF8\000\001\002one\n' "odd names/it's (2).gif"
put 2018-03-02T00:00:00Z 'GIF8\000\001\003two\n' 'odd names/-rf.gif'
put 2018-03-03T00:00:00Z 'GIF8\000\001\003two\n' 'odd names/back\slash.gif'

# Empty files stay.
put 2017-01-01T00:00:00Z '' 'empty/a'
put 2018-01-01T00:00:00Z '' 'empty/b'

# Same name, other content.
put 2016-06-06T06:06:06Z 'notes of June\n' 'notes/june.txt'
put 2016-07-06T06:06:06Z 'notes of July\n' 'old/notes/june.txt'

# A chain of directories that will be empty afterwards.
put 2024-08-08T08:08:08Z 'notes of June\n' 'usb stick/2024/august/export/june.txt'

mkdir -p 'to sort/later'
ln -s '../best of/harbour.raw' '2019/favourite.raw'
ln -s 'one.txt' 'tables/current.txt'
ln -s 'nowhere.raw' 'b/dangling.raw'
ln -s '../usb stick' 'notes/stick'
