// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The examples for systemd, udev and D-Bus.
@Suite(.fewAtOnce) struct ExampleUnitTests {
  private static let all = [
    "systemd/oppi-standup.service", "systemd/oppi-standup.timer", "systemd/oppi-watch.service",
    "systemd-path/oppi-inbox.path", "systemd-path/oppi-inbox.service",
    "systemd-boot/oppi-boot.service", "udev/oppi-plugged@.service",
    "networkmanager/oppi-network@.service", "wake/oppi-wake.service", "power/oppi-power.service",
  ]
  private static let scripts = [
    "systemd-path/oppi-inbox", "udev/oppi-plugged", "wake/oppi-wake", "power/oppi-power",
  ]

  @Test("systemd accepts the units", .needs("systemd-analyze"), arguments: all)
  func units(path: String) async throws {
    let home = try Home()
    for unit in Self.all {
      let text = try ExamplesTests.example(unit)
        .replacing("%h/", with: "\(home.folder.path)/")
      try home.write(text, to: unit)
    }
    for script in Self.scripts { try ExamplesTests.install(script, in: home) }
    let outcome = try await home.shell(
      "XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify --man=no '\(path)'"
    )
    // systemd-analyze reports a misspelt key only on standard error.
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("each file in the inbox is sent once, and failed files are kept")
  func inbox() async throws {
    let (home, server) = try await ExamplesTests.start("systemd-path")
    let script = try ExamplesTests.install("systemd-path/oppi-inbox", in: home)
    for (name, text) in [("a b.md", "one"), ("-n $(touch pwned).md", "two"), ("left.txt", "no")] {
      try home.write(text, to: "inbox/\(name)")
    }
    // A file that an interrupted run left behind.
    try home.write("three", to: "inbox/work/c.md")
    let outcome = try await home.run([script])
    #expect(outcome.status == 0, "\(outcome)")
    let texts = Set(server.texts.compactMap(\.self))
    #expect(
      texts == ["a b.md says: one", "-n $(touch pwned).md says: two", "c.md says: three"],
      "\(texts)"
    )
    _ = try await home.shell("mv inbox/done/c.md inbox/c.md; rm .config/oppi/shortcuts/inbox.json")
    let failed = try await home.run([script])
    #expect(failed.status == 66, "\(failed)")
    let listing = try await home.shell("cd inbox; ls -d *.md work/* failed/*; cat failed/*.error")
    #expect(listing.output.contains("failed/c.md\nfailed/c.md.error\n"), "\(listing)")
    #expect(listing.output.contains("no shortcut 'inbox'"), "\(listing)")
    #expect(!listing.output.contains("work/"), "\(listing)")
  }

  @Test("device names are passed as values, and a loose plug sends one prompt", .needs("bash"))
  func plugged() async throws {
    let (home, server) = try await ExamplesTests.start("udev")
    let script = try ExamplesTests.install("udev/oppi-plugged", in: home)
    let udevadm = """
      #!/bin/sh
      printf 'DEVNAME=/dev/x\\nID_MODEL=%s\\nID_SERIAL=1\\n' 'Disk `touch pwned` $(touch pwned) {{device}}'
      """
    try home.write(udevadm, to: "bin/udevadm", isExecutable: true)
    // A fixed time keeps both runs in one minute.
    try home.write("#!/bin/sh\necho 600\n", to: "bin/date", isExecutable: true)
    for _ in 0..<2 {
      let outcome = try await home.run(
        [script, "/sys/devices/usb1/1-1"],
        environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
      )
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(
      server.texts == [
        "the device Disk `touch pwned` $(touch pwned) {{device}} was plugged in: back it up"
      ]
    )
    #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: "pwned").path))
  }

  @Test("the rule starts a user unit and runs no program")
  func rule() throws {
    let text = try ExamplesTests.text("udev/90-oppi.rules")
    let rules = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(rules.count == 1 && !rules[0].contains("RUN"))
    #expect(rules[0].contains(#"ENV{SYSTEMD_USER_WANTS}+="oppi-plugged@.service""#))
  }

  /// Whether `udevadm verify` exists (systemd 254 or later).
  private static let canVerifyRules: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/udevadm")
    process.arguments = ["verify", "--help"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.runInTime()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test("udevadm verify accepts the rule", .enabled(if: canVerifyRules, "needs systemd 254"))
  func ruleSyntax() async throws {
    let rule = ExamplesTests.folder.appending(path: "udev/90-oppi.rules").path
    let outcome = try await Home().run(["/usr/bin/udevadm", "verify", rule])
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test("the dispatcher script ignores all events except Wi-Fi connections")
  func dispatcher() async throws {
    let home = try Home()
    let script = try ExamplesTests.install("networkmanager/90-oppi", in: home)
    for words in [
      ["lo", "up"], ["lo", "down"], ["none", "hostname"], ["", "connectivity-change"],
    ] {
      let outcome = try await home.run(
        ["/usr/bin/env", "-i", "CONNECTION_ID=x", "/bin/sh", script] + words
      )
      #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
  }

  /// Whether the system's services can be simulated: `dbus-daemon`, `gdbus` and python-dbusmock.
  private static let hasMock =
    has("dbus-run-session") && has("gdbus") && has("dbus-daemon") && has("python3")
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbusmock")

  private static let wake = """
    /org/freedesktop/login1: org.freedesktop.login1.Manager.PrepareForSleep (true,)
    /org/freedesktop/login1: org.freedesktop.login1.Manager.SessionNew ('false', objectpath '/x')
    """
  private static let power = """
    /org/freedesktop/UPower: org.freedesktop.DBus.Properties.PropertiesChanged \
    ('org.freedesktop.UPower', {'OnBattery': <true>}, @as [])
    /org/freedesktop/UPower: org.freedesktop.UPower.DeviceAdded (objectpath '/x',)
    """

  @Test(
    "other signals of the system bus run nothing, and the end of the monitor is a failure",
    arguments: [("wake/oppi-wake", wake), ("power/oppi-power", power)]
  )
  func otherSignals(script: String, lines: String) async throws {
    let home = try Home()
    let path = try ExamplesTests.install(script, in: home)
    try home.write(lines, to: "lines")
    try home.write("#!/bin/sh\ncat lines\n", to: "bin/gdbus", isExecutable: true)
    let outcome = try await home.run(
      [path],
      environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
    )
    // No server is paired, so a run would print an error.
    #expect(outcome.status == 1 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(
    "a signal of the system bus runs the shortcut",
    .enabled(if: hasMock, "needs dbus-daemon, gdbus and python3-dbusmock"),
    arguments: [
      (
        "wake/oppi-wake",
        "org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager",
        "org.freedesktop.login1.Manager PrepareForSleep b '[<false>]'"
      ),
      (
        "power/oppi-power", "org.freedesktop.UPower /org/freedesktop/UPower org.freedesktop.UPower",
        "org.freedesktop.DBus.Properties PropertiesChanged 'sa{sv}as' "
          + "\"[<'org.freedesktop.UPower'>, <{'OnBattery': <false>}>, <@as []>]\""
      ),
    ]
  )
  func busSignal(script: String, service: String, signal: String) async throws {
    let (home, server) = try await ExamplesTests.start(String(script.prefix { $0 != "/" }))
    let path = try ExamplesTests.install(script, in: home)
    let words = service.split(separator: " ")
    let emit = "gdbus call --system --dest \(words[0]) --object-path \(words[1])"
    // Emit the signal until it is received: nothing shows when the monitor is ready.
    let say = "\(emit) --method org.freedesktop.DBus.Mock.EmitSignal \(signal) >/dev/null"
    let play = """
      export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
      /usr/bin/python3 -m dbusmock --system \(service) & mock=$!
      gdbus wait --system \(words[0])
      setsid '\(path)' 2>errors & fired=$!
      \(Home.until("[ -s .local/state/oppi/history.jsonl ] || [ -s errors ]", meanwhile: "\(say); sleep 0.1"))
      kill -- -$fired $mock
      cat errors
      """
    try home.write(play, to: "play.sh")
    let outcome = try await home.run(
      ["/usr/bin/env", "dbus-run-session", "--", "/bin/sh", "play.sh"]
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(!server.texts.isEmpty, "\(outcome)")
  }
}
