// SPDX-License-Identifier: MIT
// The minimal ask, with which `oppi ask` is compared: creates a session with a prompt, and waits
// until the agent has it. No name lookup, no checks, no files.
//
//   cc -O2 -o reference reference.c -lssl -lcrypto
//   reference PORT TOKEN WORKSPACE [tls]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
  int descriptor;
  SSL *tls;
} stream;

static SSL_CTX *context;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static stream open_stream(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  stream opened = {socket(AF_INET, SOCK_STREAM, 0), NULL};
  int on = 1;
  if (connect(opened.descriptor, (void *)&address, sizeof address) != 0) fail("connect");
  setsockopt(opened.descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (context != NULL) {
    opened.tls = SSL_new(context);
    SSL_set_fd(opened.tls, opened.descriptor);
    if (SSL_connect(opened.tls) != 1) fail("SSL_connect");
  }
  return opened;
}

static void send_all(stream to, const char *bytes, size_t count) {
  long sent = to.tls ? SSL_write(to.tls, bytes, (int)count) : write(to.descriptor, bytes, count);
  if (sent != (long)count) fail("write");
}

// Reads until a text has arrived.
static void await_text(stream from, char *buffer, size_t size, const char *text) {
  size_t count = 0;
  while (memmem(buffer, count, text, strlen(text)) == NULL) {
    if (count == size) fail("too much");
    long got = from.tls ? SSL_read(from.tls, buffer + count, (int)(size - count))
                        : read(from.descriptor, buffer + count, size - count);
    if (got <= 0) fail("read");
    count += (size_t)got;
  }
}

int main(int count, char **words) {
  if (count < 4) return 64;
  int port = atoi(words[1]);
  if (count > 4) {
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
  }
  static char buffer[1 << 20], text[4096], body[256], session[64];
  stream server = open_stream(port);
  int size = snprintf(body, sizeof body, "{\"idempotencyKey\":\"reference-%d\",\"prompt\":\"hi\"}",
                      getpid());
  int length = snprintf(text, sizeof text,
                        "POST /workspaces/%s/sessions HTTP/1.1\r\nHost: localhost\r\n"
                        "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
                        "Content-Length: %d\r\n\r\n%s",
                        words[3], words[2], size, body);
  send_all(server, text, (size_t)length);
  await_text(server, buffer, sizeof buffer, "\r\n0\r\n");
  char *id = strstr(buffer, "\"id\":\"");
  if (strstr(buffer, "\"prompted\":true") == NULL) fail("not prompted");
  if (id == NULL || sscanf(id, "\"id\":\"%63[^\"]", session) != 1) fail("no session");
  puts(session);
  return 0;
}
