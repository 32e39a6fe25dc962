import { on, onWord, rowsFor, table } from './rule.js'

/** Programs of the system that read, write and delete files. */

const READS = 'only reads'
const WRITES = 'writes files'
const STARTS = 'starts another program'
const DELETES = 'deletes files'

export const FILES = table(
  rowsFor(
    'cat head tail wc nl tac rev cut tr fold fmt expand unexpand paste join comm cmp grep egrep fgrep zgrep zcat ' +
      'bzcat xzcat ls dir vdir stat du df readlink realpath basename dirname pwd echo whoami id groups users uname arch ' +
      'nproc uptime free ps pgrep pidof which whereis whatis true false : sleep seq factor expr md5sum sha1sum sha224sum ' +
      'sha256sum sha384sum sha512sum b2sum cksum sum od hexdump strings size locale tty getconf lscpu lsblk lsof vmstat ' +
      'jq cal column pr look tsort cd pushd popd dirs type jobs wait times umask return exit break continue shift logname ' +
      'hostid numfmt base64 base32 diff printenv tokei',
    'read-only',
    READS,
  ),
  rowsFor('getent', 'read-only', READS, { additions: [onWord(/hosts|networks/, 'network', 'asks a name server')] }),
  rowsFor('diff3', 'read-only', READS, { additions: [on('--diff-program', 'other', STARTS)] }),
  rowsFor('nm', 'read-only', READS, { additions: [on('--plugin', 'other', STARTS)] }),
  rowsFor('test [', 'read-only', READS, { additions: [on('-v -R', 'other', 'works out a name')] }),
  rowsFor('set', 'other', 'changes how the shell reads what follows', {
    additions: [onWord(/^(?!pipefail$)/, 'other', 'changes how the shell reads what follows')],
    instead: [on('-e -u -x -eu -ex -ux -eux -euo -exo -euxo -eo', 'read-only', READS)],
  }),
  rowsFor('sort', 'read-only', READS, {
    additions: [on('-o --output', 'write', WRITES), on('--compress-program', 'other', STARTS)],
  }),
  rowsFor('uniq', 'read-only', READS, { additions: [{ count: 2, is: 'write', does: WRITES }] }),
  rowsFor('tree', 'read-only', READS, { additions: [on('-o -R', 'write', WRITES)] }),
  rowsFor('date', 'read-only', READS, { additions: [on('-s --set', 'other', 'sets the clock')] }),
  rowsFor('hostname', 'read-only', READS, {
    additions: [
      on('-F -b --file --boot', 'other', 'sets the name of the machine'),
      { count: 1, is: 'other', does: 'sets the name' },
    ],
  }),
  rowsFor('file', 'read-only', READS, { additions: [on('-C --compile', 'write', WRITES)] }),
  rowsFor('rg', 'read-only', READS, {
    additions: [on('--pre --hostname-bin', 'other', STARTS)],
  }),
  rowsFor('fd fdfind', 'read-only', READS, {
    additions: [on('-x -X --exec --exec-batch', 'other', 'starts a program for each match')],
  }),
  rowsFor('ag', 'read-only', READS, { additions: [on('--pager', 'other', STARTS)] }),
  rowsFor('yq', 'read-only', READS, { additions: [on('-i --inplace -s --split-exp', 'write', WRITES)] }),
  rowsFor('xxd', 'read-only', READS, {
    additions: [on('-r -revert', 'write', WRITES), { count: 2, is: 'write', does: WRITES }],
  }),
  rowsFor('bat batcat', 'read-only', READS, { additions: [on('--pager', 'other', STARTS)] }),
  rowsFor('less more man', 'read-only', READS, {
    additions: [
      onWord(/^\+/, 'other', STARTS),
      on('-o -O -P -k -H --log-file --pager --lesskey --html', 'other', 'may write, or start another program'),
    ],
  }),
  rowsFor('printf', 'read-only', READS, { additions: [on('-v', 'other', 'sets a variable')] }),
  rowsFor('read', 'read-only', READS, { own: 'variables' }),
  rowsFor('eval', 'other', 'runs a command that is built at run time', { own: 'eval' }),
  rowsFor('trap', 'other', 'runs a command later', { own: 'trap' }),
  rowsFor('find', 'read-only', READS, { own: 'find' }),
  rowsFor('sed', 'read-only', READS, { own: 'sed' }),
  rowsFor('awk gawk mawk nawk', 'read-only', READS, { own: 'awk' }),
  rowsFor(
    'touch mkdir mkfifo mktemp cp ln install tee split csplit chmod chown chgrp chattr setfacl gzip gunzip bzip2 bunzip2 xz unxz ' +
      'zstd unzstd lz4 compress zip unzip 7z cpio ar patch rename iconv dos2unix unix2dos pax',
    'write',
    WRITES,
    {
      additions: [
        on('--remove-destination --rm --delete -m --unlink-first', 'destructive', DELETES),
        on('-TT --unzip-command --use-compress-program', 'other', STARTS),
      ],
    },
  ),
  rowsFor('cp ln mv mkdir rmdir chmod chown chgrp install tee touch', 'write', WRITES),
  rowsFor('ed ex vi vim nvim nano emacs', 'other', 'is an editor'),
  rowsFor('tar bsdtar', 'write', 'packs or unpacks files', {
    additions: [
      on('--remove-files --recursive-unlink --unlink-first -U', 'destructive', DELETES),
      on(
        '--to-command --checkpoint-action --use-compress-program -I --rsh-command --info-script --new-volume-script -F',
        'other',
        STARTS,
      ),
    ],
    instead: [on('-t -tf -tvf -tzf -tvzf -tjf tf tvf tzf tvzf --list', 'read-only', READS)],
  }),
  rowsFor('rm unlink srm trash trash-put gio', 'destructive', DELETES),
  rowsFor('shred wipe', 'destructive', 'overwrites files'),
  rowsFor('truncate', 'destructive', 'truncates files'),
  rowsFor('dd', 'destructive', 'writes to files or devices byte by byte'),
  rowsFor('fallocate', 'destructive', 'may punch holes into files'),
  rowsFor(
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap wipefs fdisk sfdisk ' +
      'gdisk sgdisk cfdisk parted blkdiscard badblocks hdparm lvremove vgremove pvremove zpool cryptsetup diskutil newfs',
    'destructive',
    'changes disks',
  ),
  rowsFor(
    'kill killall pkill skill xkill fuser shutdown reboot halt poweroff init telinit systemctl service launchctl',
    'destructive',
    'stops processes or services',
  ),
  rowsFor('crontab at batch', 'other', 'has commands run later'),
  rowsFor(
    'userdel groupdel deluser delgroup usermod passwd chpasswd visudo iptables nft ufw sysctl mount umount swapoff',
    'destructive',
    'changes the system',
  ),
)
