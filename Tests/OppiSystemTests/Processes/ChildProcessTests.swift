// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("ChildProcess")
struct ChildProcessTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs a command to its end on a new loop.
  private static func run(
    _ words: [String],
    for duration: Duration = .timeout,
    outputLimit: Int = 1 << 20
  ) throws -> ChildProcess.Outcome {
    var command = ChildProcess(arguments: words)
    command.outputLimit = outputLimit
    return try onLoop { [command] in try await command.run(on: $0, until: .now + duration) }
  }

  private static func run(_ command: ChildProcess) throws -> ChildProcess.Outcome {
    try onLoop { try await command.run(on: $0, until: .farOff) }
  }

  private static func script(_ text: String) throws -> (output: String, status: Int32) {
    let outcome = try run(["sh", "-c", text])
    return (String(decoding: outcome.output, as: UTF8.self), outcome.status)
  }

  @Test(
    "a program gets all of its input, and its two output streams are kept separate",
    arguments: [0, 10, 300_000]
  )
  func streams(size: Int) throws {
    var command = ChildProcess(arguments: ["sh", "-c", "tee /dev/stderr | cat; echo end >&2"])
    command.input = [UInt8](repeating: UInt8(ascii: "x"), count: size)
    command.errors = .collected
    let outcome = try Self.run(command)
    #expect(outcome.status == 0)
    #expect(outcome.output == command.input)
    #expect(outcome.errors == command.input + Array("end\n".utf8))
  }

  @Test("a program starts in the given folder, and not at all if there is none")
  func folder() throws {
    let parent = "\(scratch.folder)/it's \"a\" $folder"
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    var command = ChildProcess(arguments: ["sh", "-c", "pwd; echo \"$1\"", "sh", "a  b"])
    command.errors = .discarded
    command.folder = parent
    let outcome = try Self.run(command)
    #expect(String(decoding: outcome.output, as: UTF8.self) == "\(parent)\na  b\n")
    #expect(outcome.status == 0)
    command.folder = "\(parent)/none"
    let failed = try Self.run(command)
    #expect(failed.output.isEmpty && failed.status != 0)
  }

  @Test("a child that keeps the output open does not delay the end of its program")
  func lingeringChild() throws {
    let outcome = try Self.script("sleep 1000 & echo $!; exit 5")
    #expect(outcome.status == 5)
    let child = try #require(pid_t(outcome.output.dropLast()))
    #expect(kill(child, SIGKILL) == 0)
  }

  @Test("a program that does not read its input can end")
  func unreadInput() async {
    await #expect(processExitsWith: .success) {
      // `oppi` ignores SIGPIPE from its start as well.
      signal(SIGPIPE, SIG_IGN)
      var command = ChildProcess(arguments: ["sh", "-c", "exec <&-; echo done"])
      command.input = [UInt8](repeating: 0, count: 300_000)
      let outcome = try Self.run(command)
      #expect(outcome.output == Array("done\n".utf8))
    }
  }

  @Test(
    "output and status are returned, with a signal as 128 plus its number",
    arguments: [
      ("echo out; exit 3", "out\n", 3), ("true", "", 0), ("exec 1>&-; exit 7", "", 7),
      ("printf a; kill -TERM $$", "a", 143), ("kill -KILL $$", "", 137),
      ("cat; echo end", "end\n", 0),
    ] as [(String, String, Int32)]
  )
  func outcome(text: String, output: String, status: Int32) throws {
    let outcome = try Self.script(text)
    #expect(outcome.output == output)
    #expect(outcome.status == status)
  }

  @Test("arguments are passed unchanged")
  func arguments() throws {
    let words = ["a b", "$HOME", "'\"", "", "é", "*"]
    let outcome = try Self.run(["printf", "[%s]"] + words)
    #expect(outcome.output == Array(words.map { "[\($0)]" }.joined().utf8))
  }

  @Test("errors can be discarded")
  func discardedErrors() throws {
    var command = ChildProcess(arguments: ["sh", "-c", "readlink /proc/self/fd/2"])
    command.errors = .discarded
    let outcome = try Self.run(command)
    #expect(outcome.output == Array("/dev/null\n".utf8))
  }

  @Test("a missing program cannot be started", arguments: ["/none/such", "no-such-prog"])
  func missing(program: String) {
    let missing = SystemError("posix_spawn", code: ENOENT)
    #expect(throws: ChildProcess.Failure.cannotStart(missing)) { try Self.run([program]) }
  }

  @Test("a program with too much output is killed")
  func tooMuchOutput() {
    #expect(throws: ChildProcess.Failure.tooMuchOutput) {
      try Self.run(["cat", "/dev/zero"], outputLimit: 100_000)
    }
  }

  @Test("an ended process is reaped")
  func reaped() throws {
    let process = try #require(pid_t(try Self.script("printf $$").output))
    #expect(waitpid(process, nil, WNOHANG) == -1)
    #expect(errno == ECHILD)
  }

  @Test(
    "a program is killed with its children at the deadline",
    arguments: ["wait", "exec 1>&- 2>&-; wait"]
  )
  func timedOut(ending: String) throws {
    // The child holds a lock for as long as it lives.
    let (lock, process) = (scratch.path("lock"), scratch.path("pid"))
    let script =
      "exec 9>\(lock); flock 9; sleep 1000 & echo $$ >\(process).new; "
      + "mv \(process).new \(process); \(ending)"
    var limit = Duration.milliseconds(100)
    // On a busy machine the program may not have written its id yet.
    while scratch.read("pid") == nil, limit < .seconds(10) {
      #expect(throws: ChildProcess.Failure.timedOut) {
        try Self.run(["sh", "-c", script], for: limit)
      }
      limit *= 2
    }
    let leader = try #require(scratch.read("pid").flatMap { pid_t($0.dropLast()) })
    #expect(waitpid(leader, nil, WNOHANG) == -1)
    try Self.waitForLock(lock)
  }

  @Test("a program is killed when the waiting task is cancelled")
  func cancelled() throws {
    let (lock, ready) = (scratch.path("lock"), scratch.path("ready"))
    try onLoop { loop in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let words = ["flock", lock, "sh", "-c", "touch \(ready); exec sleep 1000"]
          await #expect(throws: ChildProcess.Failure.cancelled) {
            try await ChildProcess(arguments: words).run(on: loop, until: .farOff)
          }
        }
        try await loop.waitForFile(ready)
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    try Self.waitForLock(lock)
  }

  @Test(
    "a program that uses the terminal is terminated, and killed if it does not end",
    arguments: ["echo asked >asked; exit", ":"]
  )
  func askedToEnd(answer: String) throws {
    let (folder, lock) = (scratch.folder, scratch.path("lock"))
    try onLoop { loop in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let script =
            "cd \(folder); exec 9>lock; flock 9; trap '\(answer)' TERM; mkfifo fifo; exec 8<>fifo; "
            + "touch ready; while :; do read -r line <&8; done"
          await #expect(throws: ChildProcess.Failure.cancelled) {
            var program = ChildProcess(arguments: ["sh", "-c", script])
            program.takesTerminal = true
            _ = try await program.run(on: loop, until: .farOff)
          }
        }
        try await loop.waitForFile(scratch.path("ready"))
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    try Self.waitForLock(lock)
    #expect((scratch.read("asked") != nil) == (answer != ":"))
  }

  /// Waits until the lock is free.
  private static func waitForLock(_ path: String) throws {
    try onLoop { loop in
      let file = try SystemDisk().open(path, for: .locking)
      while try !file.tryLock() { try await loop.sleep(for: .milliseconds(2)) }
    }
  }

  // MARK: Inherited state

  @Test(
    "a program starts with default signal actions and an empty mask",
    arguments: [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP]
  )
  func signals(number: Int32) async {
    await #expect(processExitsWith: .success) { [number] in
      signal(number, SIG_IGN)
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, number)
      pthread_sigmask(SIG_BLOCK, &set, nil)
      let outcome = try Self.script("kill -\(number) $$; echo survived")
      #expect(outcome.output == "")
      #expect(outcome.status == 128 + number)
    }
  }

  @Test("a status is returned even if SIGCHLD is ignored")
  func ignoredChildren() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      let outcome = try Self.script("exit 3")
      #expect(outcome.status == 3)
    }
  }
}
