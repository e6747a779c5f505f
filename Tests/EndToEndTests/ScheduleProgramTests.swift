// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiWire
import TestSupport
import Testing

/// Schedules with the real systemd-analyze and crontab.
@Suite(.fewAtOnce) struct ScheduleProgramTests {
  /// Stores the crontab in a file; the real program only checks it.
  private static let crontab = """
    #!/bin/sh
    case $1 in
    -l) [ -e "$HOME/installed" ] && cat "$HOME/installed" || { echo "no crontab for me" >&2; exit 1; } ;;
    -n | -h) exec /usr/bin/crontab "$@" ;;
    *) cp -- "$1" "$HOME/installed" ;;
    esac
    """

  /// A home with a shortcut and a crontab, and its server.
  private static func home() async throws -> (Home, RunningServer) {
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.workspaces = [Workspace(id: "api00001", name: "api")]
    let server = try FakeServer.start(configuration)
    let home = try Home()
    let pairing = try await home.oppi("pair", server.makeInvite().url)
    try #require(pairing.status == 0, "\(pairing)")
    let made = try await home.oppi("shortcuts", "add", "standup", "-w", "api", "hello")
    try #require(made.status == 0, "\(made)")
    try home.write(crontab, to: "bin/crontab", isExecutable: true)
    return (home, server)
  }

  /// A PATH with the home's `bin` first.
  private static func path(_ home: Home) -> String {
    "\(home.folder.path)/bin:\(Executable.products):/usr/local/bin:/usr/bin:/bin"
  }

  @Test(
    "systemd accepts the units with any character in the paths",
    .needs("systemd-analyze")
  )
  func units() async throws {
    let (home, _) = try await Self.home()
    try home.write(
      "#!/bin/sh\necho \"$*\" >>\"$HOME/log\"\n",
      to: "bin/systemctl",
      isExecutable: true
    )
    try home.write("", to: "run/systemd/private")
    let odd = try home.write("", to: "o d%f $x;/.keep")
    let program = "\(odd.dropLast("/.keep".count))/oppi"
    try FileManager.default.createSymbolicLink(
      atPath: program,
      withDestinationPath: Executable.oppi
    )
    let environment = [
      "PATH": Self.path(home), "XDG_RUNTIME_DIR": "\(home.folder.path)/run",
      "XDG_CACHE_HOME": "\(home.folder.path)/o d%f \"$x\";",
    ]
    let outcome = try await home.run(
      [program, "schedule", "add", "standup", "--cron", "*/20 9-17 13 * fri"]
        + ["--tz", "Europe/Berlin", "--missed", "once", "--jitter", "90s"],
      environment: environment
    )
    try #require(outcome.status == 0, "\(outcome)")
    let folder = ".config/systemd/user"
    let check = try await home.shell(
      """
      XDG_RUNTIME_DIR=$PWD/run systemd-analyze --user verify --man=no \(folder)/oppi-schedule-*; \
      cat log \(folder)/*.timer; ls -A .local/state/oppi/schedules
      """
    )
    #expect(check.status == 0 && check.errors.isEmpty, "\(check)")
    #expect(
      check.outputLines.prefix(3) == [
        "--user daemon-reload", "--user enable oppi-schedule-standup.timer",
        "--user restart oppi-schedule-standup.timer",
      ]
    )
    #expect(check.output.contains("OnCalendar=Fri *-*-* 09..17:00,20,40:00 Europe/Berlin\n"))
    #expect(!check.output.contains("draft"), "the draft was removed: \(check)")
    // `remove` also deletes the link that systemctl would have made, without a user manager.
    let links = "\(folder)/timers.target.wants"
    let linked = try await home.shell(
      "mkdir \(links) && ln -s ../oppi-schedule-standup.timer \(links)"
    )
    #expect(linked.status == 0, "\(linked)")
    let removed = try await home.oppi(
      ["schedule", "remove", "standup"],
      environment: environment.filter { $0.key != "XDG_RUNTIME_DIR" }
    )
    #expect(removed.status == 0, "\(removed)")
    let rest = try await home.shell("find \(folder) ! -type d; ls .local/state/oppi/schedules")
    #expect(rest.output.isEmpty, "\(rest)")
  }

  @Test(
    "an unknown time zone is rejected",
    .needs("systemd-analyze")
  )
  func zones() async throws {
    let (home, _) = try await Self.home()
    let words = ["schedule", "add", "standup", "--every", "1h", "--tz", "Mars/Olympus"]
    let wrong = try await home.oppi(words)
    #expect(wrong.status == 64 && wrong.errors.contains("no time zone 'Mars/Olympus'"), "\(wrong)")
  }

  @Test(
    "cron accepts the crontab, other lines stay, and the new line runs the shortcut",
    .needs("crontab")
  )
  func crontab() async throws {
    let (home, server) = try await Self.home()
    let mine = "MAILTO=\"\"\n0 0 * * *  mine 100\\% # é\n\n"
    try home.write(mine, to: "installed")
    let words = ["schedule", "add", "standup", "--cron", "* * * * *"]
    let added = try await home.oppi(words, environment: ["PATH": Self.path(home)])
    try #require(added.status == 0 && added.errors.contains("by cron"), "\(added)")
    let text = try await home.shell("cat installed").output
    #expect(text.hasPrefix(mine))
    let line = try #require(text.split(separator: "\n").first { $0.contains("--scheduled") })
    let command = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)[5]
    // The current minute started before the schedule was added; make it due.
    let earlier =
      "sed -i 's/\"settledUntil\": .*[0-9]/\"settledUntil\": 0/' $HOME/.local/state/oppi/schedules/standup.json"
    #expect(try await home.shell(earlier).status == 0)
    for _ in 0..<2 {
      let fired = try await home.run(
        [
          "/usr/bin/env", "-i", "HOME=\(home.folder.path)", "PATH=/usr/bin:/bin", "/bin/sh", "-c",
          String(command),
        ]
      )
      // cron mails only if there is output.
      #expect(fired.status == 0 && fired.output.isEmpty && fired.errors.isEmpty, "\(fired)")
    }
    #expect(!server.texts.isEmpty && server.texts.count <= 2, "a minute may have passed")
    let removed = try await home.oppi(
      ["schedule", "remove", "standup"],
      environment: ["PATH": Self.path(home)]
    )
    #expect(removed.status == 0, "\(removed)")
    #expect(try await home.shell("cat installed").output == mine)
  }

  @Test("cron gets a crontab from a folder with a long name", .needs("crontab"))
  func longFolder() async throws {
    let (home, _) = try await Self.home()
    // cron cuts longer names.
    let state = "\(home.folder.path)/\(String(repeating: "long", count: 30))"
    let added = try await home.oppi(
      ["schedule", "add", "standup", "--every", "1h"],
      environment: ["PATH": Self.path(home), "XDG_STATE_HOME": state]
    )
    #expect(added.status == 0, "\(added)")
    #expect(try await home.shell("cat installed").output.contains("--scheduled"))
  }

  @Test(
    "cron's error is shown, and the crontab stays unchanged",
    .needs("crontab")
  )
  func refusedCrontab() async throws {
    let (home, _) = try await Self.home()
    try home.write("61 * * * * mine\n", to: "installed")
    let added = try await home.oppi(
      ["schedule", "add", "standup", "--every", "1h"],
      environment: ["PATH": Self.path(home)]
    )
    #expect(added.status == 69 && added.errors.contains("bad minute"), "\(added)")
    let rest = try await home.shell("cat installed; ls .local/state/oppi/schedules")
    #expect(rest.output == "61 * * * * mine\n", "\(rest)")
  }
}
