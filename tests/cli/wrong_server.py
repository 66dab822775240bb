"""Servers that do it wrong, or right in an unusual way: each listens on a port of its own.

wrong_server.py FILE [BEHAVIOUR[:PORT]...]: writes lines "BEHAVIOUR PORT" to FILE once all of them
listen, and serves until it is ended. Without behaviours it is all of them.
"""
import os
import socket
import sys
import threading

OK = b"HTTP/1.1 200 OK\r\n"


def echo(connection, state):
    while data := connection.recv(65536):
        connection.sendall(data)


def flips(connection, state):
    """One bit of the third answer."""
    for n in range(1 << 30):
        data = connection.recv(65536)
        if not data:
            return
        if n == 2:
            data = data[:-1] + bytes([data[-1] ^ 1])
        connection.sendall(data)


def few(connection, state):
    """The last byte of each answer stays away."""
    while data := connection.recv(65536):
        connection.sendall(data[:-1])


def many(connection, state):
    while data := connection.recv(65536):
        connection.sendall(data + data[-1:])


def closes(connection, state):
    pass


def closes_asked(connection, state):
    connection.recv(65536)


def resets(connection, state):
    connection.recv(1)  # what is left makes the close a reset
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def silent(connection, state):
    while connection.recv(65536):
        pass


def dies(connection, state):
    """All of the server, after some answers of all connections together."""
    while data := connection.recv(65536):
        with state["lock"]:
            state["answers"] += 1
            if state["answers"] > 500:
                state["listener"].shutdown(socket.SHUT_RDWR)
                for other in state["connections"]:
                    try:
                        other.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
                return
        connection.sendall(data)


def requests(connection):
    """Yields once for each request."""
    waiting = b""
    while data := connection.recv(65536):
        waiting += data
        *whole, waiting = waiting.split(b"\r\n\r\n")
        for _ in whole:
            yield


def answers(*pieces, close=False):
    def serve(connection, state):
        for _ in requests(connection):
            for piece in pieces:
                connection.sendall(piece)
            if close:
                return

    return serve


def in_bytes(answer):
    return answers(*(answer[i : i + 1] for i in range(len(answer))))


BEHAVIOURS = {
    "echo": echo,
    "flips": flips,
    "few": few,
    "many": many,
    "closes": closes,
    "closes-asked": closes_asked,
    "resets": resets,
    "silent": silent,
    "dies": dies,
    "not-found": answers(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone"),
    "fails": answers(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"),
    "chunked": answers(
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"6;extension=1\r\n world\r\n",
        b"0\r\nTrailer: 1\r\n\r\n",
    ),
    "unlimited": answers(OK + b"\r\nup to the end", close=True),
    "closing": answers(OK + b"Content-Length: 2\r\nConnection: close\r\n\r\nhi", close=True),
    "old": answers(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", close=True),
    "byte-by-byte": in_bytes(OK + b"Content-Length: 2\r\n\r\nhi"),
    "cut": answers(OK + b"Content-Length: 100\r\n\r\nhi", close=True),
    "garbage": answers(b"\0\1\2 this is no HTTP\r\n\r\n"),
    "garbage-later": answers(OK + b"Content-Length: 2\r\n\r\nhi", b"what else\r\n\r\n"),
    "huge-header": answers(OK + b"X: " + b"y" * 1000000 + b"\r\nContent-Length: 0\r\n\r\n"),
    "large-header": answers(OK + b"X: " + b"y" * 20000 + b"\r\nContent-Length: 0\r\n\r\n"),
    "continues": answers(b"HTTP/1.1 100 Continue\r\n\r\n", OK + b"Content-Length: 2\r\n\r\nhi"),
    "hints": answers(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nhi"),
    "no-content": answers(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "moved": answers(b"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"),
}


def handle(behaviour, connection, state):
    try:
        BEHAVIOURS[behaviour](connection, state)
    except OSError:
        pass
    with state["lock"]:
        state["connections"].discard(connection)
    connection.close()


def serve(behaviour, listener):
    state = {"listener": listener, "connections": set(), "answers": 0, "lock": threading.Lock()}
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            listener.close()
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with state["lock"]:
            state["connections"].add(connection)
        threading.Thread(target=handle, args=(behaviour, connection, state), daemon=True).start()


def main():
    path, *chosen = sys.argv[1:]
    lines = []
    for choice in chosen or BEHAVIOURS:
        behaviour, _, port = choice.partition(":")
        listener = socket.create_server(("127.0.0.1", int(port or 0)), backlog=200)
        lines.append(f"{behaviour} {listener.getsockname()[1]}\n")
        threading.Thread(target=serve, args=(behaviour, listener), daemon=True).start()
    with open(path + ".part", "w", encoding="utf-8") as ports:
        ports.writelines(lines)
    os.rename(path + ".part", path)
    threading.Event().wait()


if __name__ == "__main__":
    main()
