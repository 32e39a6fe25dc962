import { alike, on, table, word } from './rule.js'

/** Programs of the system that read, write and delete files. */

const READS = 'only reads'
const WRITES = 'writes files'
const STARTS = 'starts another program'
const DELETES = 'deletes files'

export const FILES = table(
  alike(
    'cat head tail wc nl tac rev cut tr fold fmt expand unexpand paste join comm cmp grep egrep fgrep zgrep zcat ' +
      'bzcat xzcat ls dir vdir stat du df readlink realpath basename dirname pwd echo whoami id groups users uname arch ' +
      'nproc uptime free ps pgrep pidof which whereis whatis true false : sleep seq factor expr md5sum sha1sum sha224sum ' +
      'sha256sum sha384sum sha512sum b2sum cksum sum od hexdump strings size locale tty getconf lscpu lsblk lsof vmstat ' +
      'jq cal column pr look tsort cd pushd popd dirs type jobs wait times umask return exit break continue shift logname ' +
      'hostid numfmt base64 base32 diff printenv tokei',
    'read-only',
    READS,
  ),
  alike('getent', 'read-only', READS, { more: [word(/hosts|networks/, 'network', 'asks a name server')] }),
  alike('diff3', 'read-only', READS, { more: [on('--diff-program', 'other', STARTS)] }),
  alike('nm', 'read-only', READS, { more: [on('--plugin', 'other', STARTS)] }),
  alike('test [', 'read-only', READS, { more: [on('-v -R', 'other', 'works out a name')] }),
  alike('set', 'other', 'changes how the shell reads what follows', {
    more: [word(/^(?!pipefail$)/, 'other', 'changes how the shell reads what follows')],
    less: [on('-e -u -x -eu -ex -ux -eux -euo -exo -euxo -eo', 'read-only', READS)],
  }),
  alike('sort', 'read-only', READS, {
    more: [on('-o --output', 'write', WRITES), on('--compress-program', 'other', STARTS)],
  }),
  alike('uniq', 'read-only', READS, { more: [{ count: 2, is: 'write', does: WRITES }] }),
  alike('tree', 'read-only', READS, { more: [on('-o -R', 'write', WRITES)] }),
  alike('date', 'read-only', READS, { more: [on('-s --set', 'other', 'sets the clock')] }),
  alike('hostname', 'read-only', READS, {
    more: [
      on('-F -b --file --boot', 'other', 'sets the name of the machine'),
      { count: 1, is: 'other', does: 'sets the name' },
    ],
  }),
  alike('file', 'read-only', READS, { more: [on('-C --compile', 'write', WRITES)] }),
  alike('rg', 'read-only', READS, {
    more: [on('--pre --hostname-bin', 'other', STARTS)],
  }),
  alike('fd fdfind', 'read-only', READS, {
    more: [on('-x -X --exec --exec-batch', 'other', 'starts a program for what it finds')],
  }),
  alike('ag', 'read-only', READS, { more: [on('--pager', 'other', STARTS)] }),
  alike('yq', 'read-only', READS, { more: [on('-i --inplace -s --split-exp', 'write', WRITES)] }),
  alike('xxd', 'read-only', READS, {
    more: [on('-r -revert', 'write', WRITES), { count: 2, is: 'write', does: WRITES }],
  }),
  alike('bat batcat', 'read-only', READS, { more: [on('--pager', 'other', STARTS)] }),
  alike('less more man', 'read-only', READS, {
    more: [
      word(/^\+/, 'other', STARTS),
      on('-o -O -P -k -H --log-file --pager --lesskey --html', 'other', 'may write, or start another program'),
    ],
  }),
  alike('printf', 'read-only', READS, { more: [on('-v', 'other', 'sets a variable')] }),
  alike('read', 'read-only', READS, { own: 'variables' }),
  alike('eval', 'other', 'runs what is put together when it runs', { own: 'eval' }),
  alike('trap', 'other', 'runs a command later', { own: 'trap' }),
  alike('find', 'read-only', READS, { own: 'find' }),
  alike('sed', 'read-only', READS, { own: 'sed' }),
  alike('awk gawk mawk nawk', 'read-only', READS, { own: 'awk' }),
  alike(
    'touch mkdir mkfifo mktemp cp ln install tee split csplit chmod chown chgrp chattr setfacl gzip gunzip bzip2 bunzip2 xz unxz ' +
      'zstd unzstd lz4 compress zip unzip 7z cpio ar patch rename iconv dos2unix unix2dos pax',
    'write',
    WRITES,
    {
      more: [
        on('--remove-destination --rm --delete -m --unlink-first', 'destructive', DELETES),
        on('-TT --unzip-command --use-compress-program', 'other', STARTS),
      ],
    },
  ),
  alike('cp ln mv mkdir rmdir chmod chown chgrp install tee touch', 'write', WRITES),
  alike('ed ex vi vim nvim nano emacs', 'other', 'is an editor'),
  alike('tar bsdtar', 'write', 'packs or unpacks files', {
    more: [
      on('--remove-files --recursive-unlink --unlink-first -U', 'destructive', DELETES),
      on(
        '--to-command --checkpoint-action --use-compress-program -I --rsh-command --info-script --new-volume-script -F',
        'other',
        STARTS,
      ),
    ],
    less: [on('-t -tf -tvf -tzf -tvzf -tjf tf tvf tzf tvzf --list', 'read-only', READS)],
  }),
  alike('rm unlink srm trash trash-put gio', 'destructive', DELETES),
  alike('shred wipe', 'destructive', 'overwrites what files held'),
  alike('truncate', 'destructive', 'cuts files short'),
  alike('dd', 'destructive', 'writes to files or devices byte by byte'),
  alike('fallocate', 'destructive', 'may punch holes into files'),
  alike(
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap wipefs fdisk sfdisk ' +
      'gdisk sgdisk cfdisk parted blkdiscard badblocks hdparm lvremove vgremove pvremove zpool cryptsetup diskutil newfs',
    'destructive',
    'changes disks',
  ),
  alike(
    'kill killall pkill skill xkill fuser shutdown reboot halt poweroff init telinit systemctl service launchctl',
    'destructive',
    'ends processes or services',
  ),
  alike('crontab at batch', 'other', 'has commands run later'),
  alike(
    'userdel groupdel deluser delgroup usermod passwd chpasswd visudo iptables nft ufw sysctl mount umount swapoff',
    'destructive',
    'changes the system',
  ),
)
