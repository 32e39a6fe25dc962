"""Runs one command on a throw-away machine with servers and other people's processes, and says what came of it.

It is the first program of the machine. It reads /listen/job.json and writes /listen/result.json.
"""
import json
import os
import signal
import socket
import subprocess
import threading
import time

print('started', flush=True)
job = json.load(open('/listen/job.json'))
END = os.urandom(16)
PAGE = b'HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nprint(1)\n'
connected = []
marks = {}
servers = []


def every_address_is_here():
    """Any address, of IPv4 and IPv6, reaches the servers below."""
    for family, net in (('-4', '0.0.0.0/0'), ('-6', '::/0')):
        subprocess.run(['ip', family, 'route', 'add', 'local', net, 'dev', 'lo'], stderr=subprocess.DEVNULL, check=False)


def bound(kind, port):
    """A socket for both families, or none if the port is taken."""
    s = socket.socket(socket.AF_INET6, kind)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(('::', port))
    return s


def serve_stream(s, port):
    while True:
        c, peer = s.accept()
        with c:
            if peer[1] == marks.get(port):
                return
            connected.append('tcp %d' % port)
            c.settimeout(1)
            try:
                c.recv(65536)
                c.sendall(PAGE)
            except OSError:
                pass


def serve_datagrams(s, port):
    while True:
        data, peer = s.recvfrom(65536)
        if data == END:
            return
        connected.append('udp %d' % port)
        if port == 53 and len(data) > 12:
            s.sendto(name_answer(data), peer)


def name_answer(query):
    """Each name has the address 203.0.113.1, and none of IPv6."""
    end = query.index(0, 12) + 5
    is_a = query[end - 4 : end - 2] == b'\0\1'
    head = query[:2] + b'\x81\x80\0\1\0' + (b'\1' if is_a else b'\0') + b'\0\0\0\0' + query[12:end]
    return head + (b'\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xcb\0\x71\1' if is_a else b'')


def serve(kind, port):
    s = bound(kind, port)
    if kind == socket.SOCK_STREAM:
        s.listen(64)
    work = serve_stream if kind == socket.SOCK_STREAM else serve_datagrams
    t = threading.Thread(target=work, args=(s, port), daemon=True)
    t.start()
    servers.append((t, kind, port))


def finish_servers():
    """A server that has seen our own last call has taken all that came before it."""
    for t, kind, port in servers:
        with socket.socket(socket.AF_INET, kind) as m:
            if kind == socket.SOCK_STREAM:
                m.bind(('127.0.0.1', 0))
                marks[port] = m.getsockname()[1]
                m.connect(('127.0.0.1', port))
            else:
                m.sendto(END, ('127.0.0.1', port))
            t.join(5)


def bystanders():
    """Processes of other people, by the names that scripts look for."""
    os.makedirs('/run/programs', exist_ok=True)
    for name in job['bystanders']:
        os.symlink('/usr/bin/sleep', '/run/programs/' + name)
    return [subprocess.Popen([name, '600'], executable='/run/programs/' + name) for name in job['bystanders']]


def processes(known):
    """The living processes that are not known."""
    found = []
    for n in os.listdir('/proc'):
        if n.isdigit() and int(n) not in known:
            try:
                if open('/proc/%s/stat' % n).read().rsplit(')', 1)[1].split()[0] != 'Z':
                    found.append(int(n))
            except OSError:
                pass
    return found


def listeners(known):
    """Ports that a process of the command listens on. The guard's own programs do not count."""
    inodes = {}
    for table in ('/proc/net/tcp', '/proc/net/tcp6'):
        for line in open(table).read().splitlines()[1:]:
            parts = line.split()
            if parts[3] == '0A':
                inodes['socket:[%s]' % parts[9]] = int(parts[1].rsplit(':', 1)[1], 16)
    found = []
    for pid in processes(known):
        try:
            if b'/guard/' in open('/proc/%d/cmdline' % pid, 'rb').read():
                continue
            for fd in os.listdir('/proc/%d/fd' % pid):
                port = inodes.get(os.readlink('/proc/%d/fd/%s' % (pid, fd)))
                if port is not None:
                    found.append(port)
        except OSError:
            pass
    return found


def run(known):
    """The output, and the ports that the command still listened on at its end."""
    p = subprocess.Popen(job['argv'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        out, _ = p.communicate(timeout=job['limit'])
        return out, listeners(known)
    except subprocess.TimeoutExpired as e:
        listening = listeners(known | {p.pid} if b'/guard/' in open('/proc/%d/cmdline' % p.pid, 'rb').read() else known)
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        return e.output or b'', listening


def left_over(known):
    """What is killed takes a moment to end."""
    until = time.monotonic() + 1
    while processes(known) and time.monotonic() < until:
        time.sleep(0.02)
    return processes(known)


every_address_is_here()
for port in job['ports']:
    serve(socket.SOCK_STREAM, port)
    serve(socket.SOCK_DGRAM, port)
others = bystanders()
mine = {1, os.getpid(), os.getppid()} | {p.pid for p in others}
problem = None
out, listening = b'', []
try:
    out, listening = run(mine)
except OSError as e:
    problem = str(e)
left = left_over(mine)
killed = sum(p.poll() is not None for p in others)
finish_servers()
result = {
    'connected': connected,
    'listening': listening,
    'left': len(left),
    'killed': killed,
    'out': out.decode('utf8', 'replace')[:200000],
    'problem': problem,
}
json.dump(result, open('/listen/result.json', 'w'))
