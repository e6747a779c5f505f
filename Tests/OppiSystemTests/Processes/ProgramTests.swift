// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("Program")
struct ProgramTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("a program is the first executable file of its name in PATH")
  func find() throws {
    try scratch.write("", to: "a/tool", mode: 0o644)
    let second = try scratch.write("", to: "b/tool", mode: 0o755)
    try scratch.write("", to: "c/tool", mode: 0o755)
    let path = ["none", "a", "b", "c"].map(scratch.path).joined(separator: ":")
    // For root, a file is executable if any execute bit is set.
    #expect(Program.find("tool", path: path) == second)
    #expect(Program.find("other", path: path) == nil)
    #expect(Program.find("tool", path: "") == nil)
    #expect(Program.find(second, path: "") == second)
    #expect(Program.find(scratch.path("none/tool"), path: path) == nil)
  }

  @Test("a detached program has its own session and no open streams")
  func detached() throws {
    let (report, done) = (scratch.path("report"), scratch.path("done"))
    let script = """
      streams=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2)
      session=$(cut -d ' ' -f 6 /proc/$$/stat)
      echo $session $$ $streams >\(report)
      touch \(done)
      """
    try Program.startDetached(["sh", "-c", script])
    try onLoop { try await $0.waitForFile(done) }
    let lines = try #require(scratch.read("report")).split { $0 == "\n" || $0 == " " }
    try #require(lines.count == 5)
    #expect(lines[0] == lines[1])
    #expect(lines[0] != "\(getsid(0))")
    #expect(lines[2...] == ["/dev/null", "/dev/null", "/dev/null"])
    waitpid(try #require(pid_t(lines[1])), nil, 0)
  }

  @Test("a missing program cannot be started")
  func missing() {
    #expect(throws: (any Error).self) { try Program.startDetached(["/none/such"]) }
  }

  @Test("the path of this program is absolute and executable")
  func ownPath() {
    #expect(Program.ownPath().hasPrefix("/"))
    #expect(access(Program.ownPath(), X_OK) == 0)
  }
}
