// SPDX-License-Identifier: MIT

import OppiModel
import Testing

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
