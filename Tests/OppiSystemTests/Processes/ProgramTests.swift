// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("Program")
struct ProgramTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("a program is the first of its name on the path that can be run")
  func find() throws {
    try scratch.write("", to: "a/tool", mode: 0o644)
    let second = try scratch.write("", to: "b/tool", mode: 0o755)
    try scratch.write("", to: "c/tool", mode: 0o755)
    let path = ["none", "a", "b", "c"].map(scratch.path).joined(separator: ":")
    // To root everything is executable that is so for anyone.
    #expect(Program.find("tool", path: path) == second)
    #expect(Program.find("other", path: path) == nil)
    #expect(Program.find("tool", path: "") == nil)
    #expect(Program.find(second, path: "") == second)
    #expect(Program.find(scratch.path("none/tool"), path: path) == nil)
  }

  @Test("a program that goes on by itself has a session and nothing of this one's")
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

  @Test("a program that is not there cannot be started")
  func missing() {
    #expect(throws: (any Error).self) { try Program.startDetached(["/none/such"]) }
  }

  @Test("the file of this program is a whole path to what runs")
  func ownPath() {
    #expect(Program.ownPath().hasPrefix("/"))
    #expect(access(Program.ownPath(), X_OK) == 0)
  }
}
