// SPDX-License-Identifier: MIT

import OppiModel
import Testing

/// How cron runs the lines of a crontab; see crontab(5).
@Suite struct CrontabReviewTests {
  private static func review(_ lines: String...) -> CrontabReview {
    CrontabReview(
      lines.joined(separator: "\n"),
      program: "oppi",
      commands: ["ask", "run", "outbox"]
    )
  }

  private static func defects(
    _ review: CrontabReview,
    there: Set<String> = ["/opt/oppi"]
  ) -> [CrontabDefect] {
    review.defects(
      hasProgram: { there.contains($0) || there.contains("\($1)/\($0)") },
      hasShortcut: { $0 != "gone" }
    )
  }

  @Test(
    "a correct line has no defect",
    arguments: [
      "0 9 * * 1-5 /opt/oppi run standup", "@daily /opt/oppi run nightly",
      "# 0 9 * * * oppi ask 100%", "", "MAILTO=oppi", "0 9 * * * echo oppi 5%",
      "0 9 * * * /opt/oppi run x --var day=\"$(date +\\%F)\"", "0 9 * * * cd oppi && ls",
      "*/5 * * * * test -e x && /opt/oppi run x", "nonsense", "@daily", "0 9 * *",
      "0 9 * * * $HOME/bin/oppi run x",
      "0 9 * * * PATH=/x:$PATH oppi run x", "0 9 * * * . ~/.profile; oppi run x",
      "0 9 * * * ~/bin/oppi run x",
    ]
  )
  func fine(line: String) {
    #expect(Self.defects(Self.review(line)) == [])
  }

  @Test("an unescaped percent sign is a defect")
  func percent() {
    let found = Self.defects(Self.review("", "0 9 * * * /opt/oppi run x --var rest=100%"))
    #expect(found == [.percent(line: 2)])
  }

  @Test(
    "a program that the job's PATH does not contain is a defect at any position",
    arguments: [
      "0 9 * * * oppi run x", "@reboot oppi run x", "0 9 * * * cd ~ && oppi run x",
      "0 9 * * * cd ~; oppi run x", "0 9 * * * A=b oppi run x", "0 9 * * * \"oppi\" run x",
      "  0\t9 * * *   exec oppi run x", "0 9 * * * nice oppi run x", "0 9 * * * /none/oppi run x",
      "0 9 * * * flock -n /tmp/l oppi run x", "0 9 * * * (oppi run x)",
      "0 9 * * * sh -c 'oppi run x'", "0 9 * * * a=1;oppi run x",
    ]
  )
  func missing(line: String) {
    let found = Self.defects(Self.review(line))
    guard found.count == 1, case .missingProgram(1, _) = found[0] else {
      Issue.record("\(found)")
      return
    }
  }

  @Test("assignments above a job apply to it")
  func assignments() {
    let review = Self.review(
      "PATH = \"/usr/bin:/opt\"",
      " XDG_CONFIG_HOME='/etc/x y'",
      "EMPTY=",
      "1X=no",
      "A B=no",
      "0 9 * * * oppi run x",
      "LATER=1",
      "0 9 * * * other"
    )
    let expected = ["PATH": "/usr/bin:/opt", "XDG_CONFIG_HOME": "/etc/x y", "EMPTY": ""]
    #expect(review.assignments == expected)
    #expect(Self.defects(review, there: ["/usr/bin:/opt/oppi"]) == [])
    #expect(Self.review("PATH=/x", "0 9 * * * other").assignments == [:])
  }

  @Test("a prompt in a crontab is reported as visible to other users")
  func prompt() {
    let found = Self.defects(Self.review("0 9 * * * /opt/oppi ask -w api 'do it'"))
    #expect(found == [.visiblePrompt(line: 1)])
  }

  @Test("a missing shortcut is a defect")
  func shortcut() {
    let found = Self.defects(Self.review("0 9 * * * /opt/oppi run gone"))
    #expect(found == [.missingShortcut(line: 1, name: "gone")])
  }

  @Test("a crontab with long lines is reviewed quickly")
  func long() {
    let line = "0 9 * * * oppi run x " + String(repeating: "a=b % ", count: 20_000)
    #expect(Self.defects(Self.review(line, line, line)).count == 6)
  }
}

/// The environment block of a systemd manager.
@Suite struct ManagerEnvironmentTests {
  @Test("quoted values are unquoted by the rules of a shell")
  func quoted() {
    let text = """
      HOME=/home/user
      TITLE=$'it\\'s\\t\\303\\244\\\\'
      EMPTY=
      EQUAL=a=b
      OPEN=$'
      no assignment
      """
    let expected = [
      "HOME": "/home/user", "TITLE": "it's\tä\\", "EMPTY": "", "EQUAL": "a=b", "OPEN": "$'",
    ]
    #expect(ManagerEnvironment.variables(in: text) == expected)
    #expect(ManagerEnvironment.variables(in: "A=$'\\'\nB=$'\\9'") == ["A": "\\", "B": "9"])
  }
}

@Suite struct RelevantVariablesTests {
  /// The differences as `NAME: here, there`.
  private static func all(
    _ here: [String: String],
    _ there: [String: String],
    usesProxy: Bool = false,
    usesTrustAnchors: Bool = false
  ) -> [String] {
    RelevantVariables.differences(
      here: here,
      there: there,
      usesProxy: usesProxy,
      usesTrustAnchors: usesTrustAnchors
    )
    .map { "\($0.name): \($0.here), \($0.there)" }
  }

  @Test("a variable is missing there, missing here or changed, and an empty variable is unset")
  func kinds() {
    let here = ["HOME": "/h", "OPPI_SERVER": "a", "XDG_CACHE_HOME": "", "PATH": "/bin"]
    let there = ["HOME": "/other", "OPPI_WORKSPACE": "w", "PATH": "/usr/bin"]
    #expect(
      Self.all(here, there) == ["HOME: /h, /other", "OPPI_SERVER: a, ", "OPPI_WORKSPACE: , w"]
    )
  }

  @Test("proxies and trust anchors are compared only if a server uses them")
  func servers() {
    let here = ["HTTPS_PROXY": "http://p", "SSL_CERT_FILE": "/c"]
    #expect(Self.all(here, [:]).isEmpty)
    #expect(Self.all(here, [:], usesProxy: true) == ["HTTPS_PROXY: http://p, "])
    #expect(Self.all(here, [:], usesTrustAnchors: true) == ["SSL_CERT_FILE: /c, "])
  }
}
