// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import TestSupport
import Testing

@testable import OppiSystem

@Suite struct PagerTests {
  private struct OnlyLess: ProgramAccess {
    func has(_ name: String) -> Bool { name == "less" }
    func has(_ name: String, path: String) -> Bool { has(name) }
    func run(
      _ program: ChildProcess,
      on loop: EventLoop,
      until deadline: EventLoop.Instant
    ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome { throw .cancelled }
    func startDetached(_ arguments: [String]) throws(SystemError) {}
  }

  @Test(
    "PAGER is the pager, else less; there is none if it is empty, cat or missing",
    arguments: [
      ([:], ["less"]), (["PAGER": "less -S"], ["less", "-S"]), (["PAGER": ""], nil),
      (["PAGER": "cat"], nil), (["PAGER": "nosuch"], nil), (["TERM": "dumb"], nil),
      (["PAGER": "less | cat"], ["/bin/sh", "-c", "less | cat"]),
    ] as [([String: String], [String]?)]
  )
  func choice(variables: [String: String], arguments: [String]?) {
    let environment = ["TERM": "xterm"].merging(variables) { $1 }
    let pager = Pager(environment: environment, programs: OnlyLess())
    #expect(pager?.arguments == arguments)
    #expect(pager == nil || pager?.environment["LESS"] == "FRX")
  }

  @Test("the options of the user for less are kept")
  func options() {
    let environment = ["TERM": "xterm", "LESS": "S"]
    #expect(
      Pager(environment: environment, programs: OnlyLess())?.environment["LESS"] == "S"
    )
  }

  @Test(
    "a pager gets the text and may quit early; one that cannot be started shows nothing",
    arguments: [
      ("cat >$FILE", true, 300_000), ("head -c 3 >$FILE", true, 3), ("exit 1 # >$FILE", true, nil),
      ("nosuch-program >$FILE 2>&1", false, nil),
    ] as [(String, Bool, Int?)]
  )
  func shows(command: String, isShown: Bool, size: Int?) throws {
    // As `oppi` does from its start.
    ProcessSetup.perform()
    let scratch = try Scratch()
    let file = "\(scratch.folder)/out"
    let environment = ["TERM": "xterm", "PAGER": command, "FILE": file, "PATH": "/usr/bin:/bin"]
    let programs = SystemPrograms(environment: environment)
    let pager = try #require(Pager(environment: environment, programs: programs))
    let text = String(repeating: "x", count: 300_000)
    let shown = try onLoop { await pager.show(text, by: programs, on: $0) }
    #expect(shown == isShown)
    if let size {
      let written = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      #expect(written == size)
    }
  }
}
