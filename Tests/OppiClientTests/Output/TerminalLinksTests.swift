// SPDX-License-Identifier: MIT

import Testing

@testable import OppiClient

@Suite struct TerminalLinksTests {
  @Test(
    "links are used on terminals that are known to open them",
    arguments: [
      ["TERM": "xterm-kitty"], ["TERM": "foot"], ["TERM": "xterm", "TERM_PROGRAM": "WezTerm"],
      ["TERM": "xterm-256color", "VTE_VERSION": "5000"], ["TERM": "xterm", "WT_SESSION": "x"],
      ["TERM": "xterm", "KONSOLE_VERSION": "201200"], ["TERM": "tmux", "FORCE_HYPERLINK": "1"],
    ]
  )
  func known(environment: [String: String]) {
    #expect(TerminalLinks.work(in: environment))
  }

  @Test(
    "links are not used on other terminals, or if they are disabled",
    arguments: [
      [:], ["TERM": "xterm-256color"], ["TERM": "dumb", "VTE_VERSION": "7000"],
      ["TERM": "xterm", "VTE_VERSION": "4999"], ["TERM": "xterm", "VTE_VERSION": "x"],
      ["TERM": "xterm-kitty", "TMUX": "/tmp/tmux"], ["TERM": "foot", "STY": "1.tty"],
      ["TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"],
      ["TERM": "xterm", "KONSOLE_VERSION": "201199"],
    ]
  )
  func others(environment: [String: String]) {
    #expect(!TerminalLinks.work(in: environment))
  }

  @Test("a pipe and a terminal without colours have no links")
  func policy() {
    for (isTerminal, color) in [(false, ColorChoice.auto), (true, .never)] {
      var options = GlobalOptions()
      options.color = color
      let policy = OutputPolicy(
        options: options,
        environment: ["TERM": "foot"],
        destination: OutputPolicy.Destination(
          isOutputTerminal: isTerminal,
          isErrorTerminal: true,
          width: 80
        )
      )
      #expect(!policy.links)
    }
  }
}
