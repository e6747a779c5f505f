// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Testing

@Suite("Pipe")
struct PipeTests {
  private func isBlocking(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0
  }

  @Test("only the write end may block, on request", arguments: [false, true])
  func blocking(blocksWriter: Bool) throws {
    let pipe = try Pipe(blocksWriter: blocksWriter)
    #expect(!isBlocking(pipe.readEnd))
    #expect(isBlocking(pipe.writeEnd) == blocksWriter)
  }

  @Test("both ends are closed in child programs")
  func closeOnExec() throws {
    let pipe = try Pipe()
    for end in [pipe.readEnd, pipe.writeEnd] { #expect(fcntl(end, F_GETFD) == FD_CLOEXEC) }
  }

  @Test("a read returns bytes, would-block or the end of the stream")
  func read() throws {
    let pipe = try Pipe()
    guard case .wouldBlock = pipe.read() else { throw Unexpected() }
    write(pipe.writeEnd, "abc", 3)
    guard case .bytes(let bytes) = pipe.read() else { throw Unexpected() }
    #expect(bytes.elementsEqual("abc".utf8))
    pipe.closeWriteEnd()
    pipe.closeWriteEnd()
    guard case .endOfStream = pipe.read() else { throw Unexpected() }
  }

  private struct Unexpected: Error {}

  @Test("both ends are closed with the pipe")
  func ends() throws {
    var pipe: Pipe? = try Pipe()
    let copy = dup(try #require(pipe).readEnd)
    defer { close(copy) }
    pipe = nil
    // The end of the stream shows that the write end is closed.
    var byte: UInt8 = 0
    #expect(Glibc.read(copy, &byte, 1) == 0)
  }
}

@Suite("SystemError")
struct SystemErrorTests {
  @Test("an error has errno and the system's message in lower case")
  func words() {
    errno = ECONNREFUSED
    let error = SystemError("connect")
    #expect(error == SystemError("connect", code: ECONNREFUSED))
    #expect("\(error)" == "connection refused")
  }
}
