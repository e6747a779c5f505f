// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("Input")
struct InputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "standard input is read to its end, also from a file",
    arguments: ["printf 'a\\nb'", "cat </dev/null", "(printf 'a\\n'; printf b)"]
  )
  func standardInput(command: String) async {
    await #expect(processExitsWith: .success) { [command] in
      let expected = command.contains("null") ? "" : "a\nb"
      let stream = try #require(popen(command, "r"))
      dup2(fileno(stream), STDIN_FILENO)
      let text = try onLoop { try await Input.standardInput(on: $0, limit: 3) }
      #expect(text == Array(expected.utf8))
    }
  }

  @Test("input that arrives in pieces does not block the loop")
  func pieces() async {
    await #expect(processExitsWith: .success) {
      let pipe = try Pipe(blocksWriter: true)
      dup2(pipe.readEnd, STDIN_FILENO)
      let text = try onLoop { loop in
        async let text = Input.standardInput(on: loop, limit: 100)
        for piece in ["one ", "two ", "three"] {
          try await loop.sleep(until: .now + .milliseconds(1))
          write(pipe.writeEnd, piece, piece.utf8.count)
        }
        pipe.closeWriteEnd()
        return try await text
      }
      #expect(text == Array("one two three".utf8))
    }
  }

  @Test("a wait for input can be cancelled")
  func cancelled() async {
    await #expect(processExitsWith: .success) {
      let pipe = try Pipe()
      dup2(pipe.readEnd, STDIN_FILENO)
      #expect(throws: EventLoop.WaitError.self) {
        try onLoop { loop in
          try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask { try await Input.standardInput(on: loop, limit: 100) }
            group.cancelAll()
            return try await group.next()
          }
        }
      }
    }
  }

  @Test("input above the limit is rejected")
  func limit() async {
    await #expect(processExitsWith: .success) {
      dup2(open("/dev/zero", O_RDONLY), STDIN_FILENO)
      #expect(throws: FileError.tooLarge(path: "standard input", limit: 1000)) {
        try onLoop { try await Input.standardInput(on: $0, limit: 1000) }
      }
    }
  }

  @Test("a closed standard input is an error")
  func closed() async {
    await #expect(processExitsWith: .success) {
      let closed = SystemError("read", code: EBADF)
      #expect(throws: FileError.cannotRead(path: "standard input", closed)) {
        try onLoop { loop in
          // A write-only descriptor fails like a closed one and keeps the number in use.
          dup2(open("/dev/null", O_WRONLY), STDIN_FILENO)
          return try await Input.standardInput(on: loop, limit: 9)
        }
      }
    }
  }

  @Test("a named pipe is read to its end, even if its writer opens it late")
  func namedPipe() throws {
    let path = scratch.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let bytes = try onLoop { loop in
      async let bytes = Input.file(path, on: loop, limit: 100)
      try await loop.sleep(until: .now + .milliseconds(5))
      let writer = open(path, O_WRONLY | O_CLOEXEC)
      for piece in ["one ", "two"] {
        write(writer, piece, piece.utf8.count)
        try await loop.sleep(until: .now + .milliseconds(1))
      }
      close(writer)
      return try await bytes
    }
    #expect(bytes == Array("one two".utf8))
  }

  @Test("a wait for a named pipe without a writer can be cancelled")
  func silentPipe() throws {
    let path = scratch.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    try onLoop { loop in
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await Input.file(path, on: loop, limit: 100) }
        await Task.yield()
        group.cancelAll()
        await #expect(throws: EventLoop.WaitError.self) { try await group.next() }
      }
    }
  }

  @Test("a regular file is read without a check of its mode")
  func userFile() throws {
    let path = try scratch.write("text", to: "file", mode: 0o666)
    let missing = scratch.path("none")
    #expect(try onLoop { try await Input.file(path, on: $0, limit: 4) } == Array("text".utf8))
    #expect(try onLoop { try await Input.file(missing, on: $0, limit: 4) } == nil)
    #expect(throws: FileError.tooLarge(path: path, limit: 3)) {
      try onLoop { try await Input.file(path, on: $0, limit: 3) }
    }
  }
}
