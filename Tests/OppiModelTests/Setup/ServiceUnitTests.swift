// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import TestSupport
import Testing

@Suite struct ServiceUnitTests {
  private static let program = SetupProgram(name: "oppi", path: "/home/ann/.local/bin/oppi")

  @Test("the unit matches the example, with this program's path")
  func unit() throws {
    let file = URL.package.appending(path: "Examples/systemd/oppi-watch.service")
    let example = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(example.firstRange(of: "[Unit]"))
    #expect(
      ServiceUnit.watch(by: Self.program)
        == example[start.lowerBound...].replacing("/usr/local/bin/oppi", with: Self.program.path)
    )
  }
}

@Suite struct UnitProgramTests {
  @Test("a path with quotation marks or a backslash is rejected")
  func refused() {
    #expect(UnitProgram.canRun("/o d/100%/$x;/oppi"))
    for path in [#"/a"b"#, "/a'b", #"/a\b"#] { #expect(!UnitProgram.canRun(path)) }
  }

  @Test("a percent sign is doubled, and an argument with a space or a semicolon is quoted")
  func word() {
    #expect(UnitProgram.word("/p%$/oppi") == "/p%%$/oppi")
    #expect(UnitProgram.word("/o d/100%/$x;/oppi") == #""/o d/100%%/$x;/oppi""#)
  }
}
