// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `oppi new` with other programs, which open the session.
@Suite(.fewAtOnce) struct NewProgramTests {
  @Test("new starts the configured app in the background")
  func opensApp() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let app = try home.write(
      "[ \"$1|$2\" = 'two words|$HOME' ] && oppi launch --print >\"$HOME/session\" 2>&1\n",
      to: "my app.sh"
    )
    _ = try await home.oppi("config", "set", "app.command", "sh '\(app)' 'two words' '$HOME'")
    let outcome = try await home.shell(
      "oppi new -w demo && \(Home.until("[ -s session ]")); cat session"
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.wholeMatch(of: /[A-Za-z0-9_-]{8}\n/) != nil, "\(outcome)")
  }

  @Test(
    "$TERMINAL may contain arguments",
    arguments: [
      ("foot", "-e"), ("foot -e", "-e"), ("foot --title 'My agent'", "--title|My agent|-e"),
    ]
  )
  func terminal(variable: String, words: String) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let script = "#!/bin/sh\nIFS='|'; echo \"$*\" >\"$HOME/words\"\n"
    _ = try home.write(script, to: "bin/foot", isExecutable: true)
    let outcome = try await home.shell(
      "\(Executable.oppi) new -w demo && \(Home.until("[ -s words ]")); cat words",
      environment: ["TERMINAL": variable, "PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
    )
    #expect(outcome.output.hasPrefix("\(words)|/"), "\(outcome)")
    #expect(outcome.output.hasSuffix("|launch\n"), "\(outcome)")
  }
}
