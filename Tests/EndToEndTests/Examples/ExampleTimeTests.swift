// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// The examples that run at fixed times or at boot.
@Suite(.fewAtOnce) struct ExampleTimeTests {
  @Test("the crontab's lines send their prompts in cron's environment")
  func crontab() async throws {
    let (home, server) = try await ExamplesTests.start("cron")
    let text = try ExamplesTests.example("cron/crontab")
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == 2)
    for line in lines {
      let command = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)[5]
      // cron ends a command at a percent sign.
      #expect(!command.contains("%"))
      let outcome = try await home.run(
        [
          "/usr/bin/env", "-i", "HOME=\(home.folder.path)", "PATH=/usr/bin:/bin", "/bin/sh", "-c",
          String(command),
        ]
      )
      #expect(outcome.status == 0, "\(outcome)")
      // cron mails only if there is output.
      #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
    #expect(server.texts == ["what was done yesterday?", "continue with the list in TODO.md"])
    await server.stop()
    try FileManager.default.removeItem(at: home.folder.appending(path: "oppi.log"))
    for line in lines {
      let command = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)[5]
      let outcome = try await home.shell("\(command); cat oppi.log >&2 2>/dev/null")
      #expect(outcome.errors.contains("Can't reach studio"), "\(outcome)")
    }
  }

  @Test("a prompt is sent when the output of its check has changed", .needs("git"))
  func changes() async throws {
    let (home, server) = try await ExamplesTests.start("changes")
    let line = try #require(
      try ExamplesTests.example("changes/crontab").split(separator: "\n").last
    )
    let command = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)[5]
    func run() async throws {
      let outcome = try await home.shell(String(command))
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
    }
    let commit = """
      git -c init.defaultBranch=main init -q src/origin 2>/dev/null
      git -C src/origin -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m new
      [ -d src/api ] || git clone -q src/origin src/api
      """
    _ = try await home.shell(commit)
    for count in 1...2 {
      try await run()
      try await run()
      #expect(server.texts.count == count, "\(server.texts)")
      _ = try await home.shell(commit)
    }
    #expect(server.texts.last??.hasPrefix("review the newest of these commits: ") == true)
  }

  @Test("the crontab's lines are appended as the README describes")
  func crontabInstallation() async throws {
    let home = try Home()
    let text = try ExamplesTests.example("cron/crontab")
    let fake = """
      #!/bin/sh
      case $1 in -l) cat "$HOME/installed" ;; -) cat >"$HOME/next" && mv "$HOME/next" "$HOME/installed" ;; esac
      """
    try home.write(fake, to: "bin/crontab", isExecutable: true)
    try home.write("0 0 * * * mine\n", to: "installed")
    let command = try #require(try ExamplesTests.typed("cron").first { $0.contains("| crontab") })
    let outcome = try await home.shell(
      "\(command); cat installed",
      environment: ["PATH": "\(home.folder.path)/bin:\(Executable.products):/usr/bin:/bin"]
    )
    #expect(outcome.output == "0 0 * * * mine\n\(text)", "\(outcome)")
  }

  @Test("cron accepts the crontab", .needs("crontab"))
  func crontabSyntax() async throws {
    let home = try Home()
    try home.write(try ExamplesTests.example("cron/crontab"), to: "crontab")
    let outcome = try await home.shell("crontab -n crontab")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test("the service's command sends its prompt")
  func serviceCommand() async throws {
    let (home, server) = try await ExamplesTests.start("systemd")
    let text = try ExamplesTests.text("systemd/oppi-standup.service")
    let command = try #require(text.firstMatch(of: /ExecStart=:(.+)/)).output.1
    let words = command.split(separator: " ").map(String.init)
    try #require(words.first == ExamplesTests.placeholder)
    try await home.oppi(Array(words.dropFirst()), exits: 0)
    #expect(server.texts == ["what was done yesterday?"])
  }

  @Test(
    "at accepts a job that sends one prompt, and the job contains no environment secrets",
    .needs("at")
  )
  func at() async throws {
    let (home, server) = try await ExamplesTests.start("at")
    let script = try ExamplesTests.install("at/oppi-at", in: home)
    let outcome = try await home.run(
      ["/bin/sh", script, "standup", "23:59", "2037-12-31"],
      environment: ["SECRET_TOKEN": "hidden"]
    )
    let job = try #require(outcome.errors.firstMatch(of: /job (\d+) at/), "\(outcome)").output.1
    let text = try await home.shell("at -c \(job); atrm \(job)").output
    #expect(!text.contains("hidden") && text.contains("run -q --key at-standup-"), "\(text)")
    for _ in 0..<2 {
      let run = try await home.run(["/usr/bin/env", "-i", "/bin/sh"], input: text)
      #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run)")
    }
    #expect(server.texts == ["what was done yesterday?"])
    for name in ["nothing", "x;touch pwned", "--help"] {
      let refused = try await home.run(["/bin/sh", script, name, "23:59"])
      #expect([64, 66].contains(refused.status), "\(refused)")
    }
    #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: "pwned").path))
  }

  @Test("the boot service sends one prompt per boot, however many logins")
  func boot() async throws {
    let (home, server) = try await ExamplesTests.start("systemd-boot")
    let text = try ExamplesTests.example("systemd-boot/oppi-boot.service")
    let command = try #require(text.firstMatch(of: /ExecStart=:(.+)/)).output.1
    for _ in 0..<2 {
      let outcome = try await home.shell(String(command).replacing("%b", with: "01ab"))
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(server.texts.count == 1)
  }
}
