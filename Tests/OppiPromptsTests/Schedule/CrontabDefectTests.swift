// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import Oppi
@testable import OppiClient

/// The messages about defects of a crontab.
@Suite struct CrontabDefectTests {
  @Test("a defect names its line and has a hint; a visible prompt is only a note")
  func words() {
    let findings = [
      CrontabDefect.percent(line: 2), .missingProgram(line: 3, name: "oppi"),
      .missingShortcut(line: 4, name: "gone"), .visiblePrompt(line: 5),
    ].map { Finding.crontab($0, program: "/opt/oppi") }
    #expect(
      findings.map(\.message) == [
        "line 2 of the crontab contains '%', which ends the command",
        "line 3 of the crontab runs 'oppi', which does not exist",
        "line 4 of the crontab runs the shortcut 'gone', which does not exist",
        "line 5 of the crontab contains the prompt, which ps and syslog show",
      ]
    )
    #expect(findings.map(\.gravity) == [.fault, .fault, .fault, .note])
    #expect(findings.map(\.code) == [.badConfiguration, .badConfiguration, .noSuchShortcut, nil])
    #expect(
      findings.allSatisfy { $0.hints.count == 1 } && findings[1].hints == ["use the path /opt/oppi"]
    )
  }

  @Test("names from a crontab are made safe to display")
  func hostile() {
    let name = "/\u{1B}[2J\(String(repeating: "x", count: 500))/oppi"
    for defect in [
      CrontabDefect.missingProgram(line: 1, name: name), .missingShortcut(line: 1, name: name),
    ] {
      let message = Finding.crontab(defect, program: "/opt/oppi").message
      #expect(!message.contains("\u{1B}") && message.count < 200, "\(message)")
    }
  }
}
