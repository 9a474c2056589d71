/**
 * The program that is PID 1 of each sandbox: it takes requests on its stdin and answers on its stdout (see
 * `server-frames.ts`). PID 1 of a namespace cannot be killed from inside, and what it holds (the two pipes) is
 * closed in every command. Perl, because it is on every Debian system, starts in 2 ms and has waitpid, select
 * and plain system calls without loading anything.
 */
export const EXEC_SERVER = String.raw`
use strict;
my $FILTER = pack 'H*', pop @ARGV;
my ($SETSID, $PRCTL, $MEMFD, $PRLIMIT, $MAX_PROCESSES, $RESERVE_MB) = map { 0 + $_ } @ARGV;
my ($OUTPUT, $EXIT, $DONE, $FAILED) = (1, 2, 3, 4);
my ($RUN, $KILL, $PUT, $RESTART, $FREE_RESERVE) = (1, 2, 3, 4, 5);
my $SCRIPT_ARGUMENT_MAX = 100_000;

# close_range: whatever the host's process leaked into bwrap is nothing for a sandbox.
syscall(436, 3, 0xffffffff, 0);
# Not dumpable: no process of the sandbox may trace PID 1 or open its pipes through /proc.
syscall($PRCTL, 4, 0, 0, 0, 0);
# A seccomp filter, see socket-filter.ts; every command inherits it.
syscall($PRCTL, 22, 2, pack 'S x6 P', length($FILTER) / 8, $FILTER) == 0 or die "no seccomp filter: $!\n";
if ($MAX_PROCESSES) { my $limit = pack('QQ', $MAX_PROCESSES, $MAX_PROCESSES); syscall($PRLIMIT, 0, 6, $limit, 0); }
open(my $requests, '<&', \*STDIN) or die; open(my $answers, '>&', \*STDOUT) or die;
open(STDIN, '<', '/dev/null') or die; open(STDOUT, '>', '/dev/null') or die;
umask 022;
$SIG{CHLD} = sub { };    # so that a child's end interrupts select

# Disk that is kept back for the verifier: a file without a name, which only PID 1 can let go of.
open(my $reserve, '+>', '/.reserve') or die; unlink '/.reserve';
syswrite($reserve, "\0" x 1048576) for 1 .. $RESERVE_MB;

my (%jobs, %strays, $buffer);
$buffer = '';
answer($DONE, 0, '');
while (1) {
  my $ready = '';
  vec($ready, fileno($requests), 1) = 1;
  for (values %jobs, values %strays) { vec($ready, fileno($_->{out}), 1) = 1 if $_->{out}; }
  if (select($ready, undef, undef, %jobs ? 0.02 : 1) > 0) {
    for my $id (keys %jobs) {
      my $out = $jobs{$id}{out};
      take($id, $jobs{$id}) if $out && vec($ready, fileno($out), 1);
    }
    for my $key (keys %strays) {
      next unless vec($ready, fileno($strays{$key}{out}), 1);
      delete $strays{$key} unless sysread($strays{$key}{out}, my $dropped, 65536);
    }
    serve() if vec($ready, fileno($requests), 1);
  }
  reap();
}

sub answer {
  my ($type, $id, $data) = @_;
  my $frame = pack('CNN', $type, $id, length $data) . $data;
  for (my $at = 0; $at < length $frame;) {
    my $written = syswrite($answers, $frame, length($frame) - $at, $at);
    if (defined $written) { $at += $written; } elsif ($! != 4) { exit 0; }
  }
}

sub serve {
  my $got = sysread($requests, $buffer, 1 << 20, length $buffer);
  exit 0 if defined $got && $got == 0;
  while (length $buffer >= 9) {
    my ($type, $id, $size) = unpack('CNN', $buffer);
    last if length $buffer < 9 + $size;
    substr($buffer, 0, 9, '');
    my @fields = unpack('(N/a*)*', substr($buffer, 0, $size, ''));
    if ($type == $RUN) { run($id, @fields); }
    elsif ($type == $KILL) { kill_session($jobs{$fields[0]}{pid}) if $jobs{$fields[0]}; answer($DONE, $id, ''); }
    elsif ($type == $PUT) { eval { put(@fields); 1 } ? answer($DONE, $id, '') : answer($FAILED, $id, $@); }
    elsif ($type == $FREE_RESERVE) { free_reserve(); answer($DONE, $id, ''); }
    elsif ($type == $RESTART) { kill 9, -1; 1 while waitpid_one(0); answer($DONE, $id, ''); }
  }
}

sub take {
  my ($id, $job) = @_;
  my $got = sysread($job->{out}, my $data, 65536);
  if ($got) { answer($OUTPUT, $id, $data); return 1; }
  delete $job->{out} if defined $got;
  return 0;
}

sub reap { 1 while waitpid_one(1); }

sub waitpid_one {
  my $pid = waitpid(-1, $_[0]);
  return 0 if $pid <= 0;
  my $status = $?;
  my ($id) = grep { $jobs{$_}{pid} == $pid } keys %jobs;
  return 1 unless defined $id;
  my $job = delete $jobs{$id};
  # What it wrote before its end is in the pipe; what its background processes write later is dropped.
  for (1 .. 32) {
    last unless $job->{out};
    my $ready = '';
    vec($ready, fileno($job->{out}), 1) = 1;
    last unless select($ready, undef, undef, 0) > 0 && take($id, $job);
  }
  $strays{$id} = $job if $job->{out};
  answer($EXIT, $id, pack('N', $status));
  return 1;
}

sub memory_file {
  my $fd = syscall($MEMFD, my $name = 'input', 0);
  die "cannot make a memory file: $!\n" if $fd < 0;
  open(my $file, '+<&=', $fd) or die "cannot open a memory file: $!\n";
  for (my $at = 0; $at < length $_[0];) { $at += syswrite($file, $_[0], length($_[0]) - $at, $at) || die "$!\n"; }
  sysseek($file, 0, 0);
  return $file;
}

sub run {
  my ($id, $shell, $script, $cwd, $has_input, $input, @env) = @_;
  my ($stdin, $long, $out, $in, $pid);
  my $made = eval {
    $stdin = memory_file($input) if $has_input;
    $long = memory_file($script) if length $script > $SCRIPT_ARGUMENT_MAX;
    pipe($out, $in) or die "$!\n";
    defined($pid = fork) or die "$!\n";
  };
  if (!$made) { answer($FAILED, $id, $@); return; }
  if ($pid) { $jobs{$id} = { pid => $pid, out => $out }; return; }
  $SIG{CHLD} = $SIG{FPE} = $SIG{PIPE} = 'DEFAULT';
  syscall($SETSID);
  open(STDOUT, '>&', $in); open(STDERR, '>&', $in);
  if ($stdin) { open(STDIN, '<&', $stdin); }
  if ($long) { fcntl($long, 2, 0); $script = '. /proc/self/fd/' . fileno($long); }
  if (!chdir $cwd) { print STDERR "cannot change to the working directory $cwd: $!\n"; exit 126; }
  %ENV = @env;
  exec { $shell } 'sh', '-c', $script;
  print STDERR "cannot run $shell: $!\n";
  exit 126;
}

# On a full disk whatever runs would fill the reserve as well.
sub free_reserve {
  open(my $probe, '+>', '/.probe'); unlink '/.probe';
  kill 9, -1 unless (syswrite($probe, "\0" x 262144) // 0) == 262144;
  undef $reserve;
}

sub kill_session {
  my $session = shift;
  for (1 .. 500) {
    my @alive = grep { $_ != 1 } session_members($session);
    return unless @alive;
    kill 9, @alive;
    select(undef, undef, undef, 0.001);
  }
}

sub session_members {
  my $session = shift;
  opendir(my $proc, '/proc') or return;
  return grep {
    my $stat = '';
    if (/^\d+$/ && open(my $file, '<', "/proc/$_/stat")) { sysread($file, $stat, 4096); }
    $stat =~ /^.*\) (\S) \d+ \d+ (\d+)/s && $2 == $session && $1 !~ /[ZX]/;
  } readdir $proc;
}

sub put {
  while (my ($path, $type, $mode, $mtime, $data) = splice(@_, 0, 5)) {
    if ($type eq 'parents') { make_folder($path); next; }
    make_folder($1) if $path =~ m{^(.+)/[^/]+$};
    if ($type eq 'directory') { make_folder($path); chmod($mode, $path) or die "chmod $path: $!\n"; next; }
    unlink $path if -l $path || -e $path;
    if ($type eq 'symlink') { symlink($data, $path) or die "symlink $path: $!\n"; next; }
    if ($type eq 'link') { link($data, $path) or die "link $path: $!\n"; next; }
    open(my $file, '>:raw', $path) or die "write $path: $!\n";
    (print $file $data and close $file) or die "write $path: $!\n";
    chmod($mode, $path) or die "chmod $path: $!\n";
    utime($mtime, $mtime, $path);
  }
}

sub make_folder {
  my $path = '';
  for my $part (grep { length } split m{/}, $_[0]) {
    $path .= "/$part";
    next if -d $path;
    mkdir($path, 0755) or die "mkdir $path: $!\n";
  }
}
`;
