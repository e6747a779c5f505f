// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// The examples for desktops, window managers and bars, read by these programs.
@Suite(.fewAtOnce) struct ExampleDesktopTests {
  @Test("sway accepts the keys", .needs("sway", "setpriv"))
  func sway() async throws {
    let home = try Home()
    try home.write(try ExamplesTests.text("sway/oppi.conf"), to: "config")
    // sway refuses to run as root.
    let outcome = try await home.shell(
      """
      chmod 755 .; export XDG_RUNTIME_DIR="$PWD"
      [ "$(id -u)" != 0 ] || { chmod 777 .; as='setpriv --reuid 65534 --regid 65534 --clear-groups'; }
      WLR_BACKENDS=headless $as sway -C -c "$PWD/config"
      """
    )
    #expect(outcome.status == 0 && !outcome.errors.contains("Error"), "\(outcome)")
  }

  @Test("i3 accepts the keys", .needs("i3"))
  func i3() async throws {
    let home = try Home()
    let fonts = "# i3 config file (v4)\nfont pango:monospace 8\n"
    try home.write(fonts + ExamplesTests.text("i3/oppi.conf"), to: "config")
    let outcome = try await home.shell("i3 -C -c config")
    // i3 reports an error only as a line of its output.
    #expect(outcome.status == 0, "\(outcome)")
    #expect(!(outcome.output + outcome.errors).contains("ERROR"), "\(outcome)")
  }

  private static let hasX = has("Xvfb") && has("xdotool")

  /// Presses keys under a program in an X server and returns the commands that ran, one per line.
  private static func pressed(
    _ keys: [String],
    under program: String,
    config path: String,
    in home: Home
  ) async throws -> Outcome {
    let spy = try home.write(
      "#!/bin/sh\necho \"$*\" >>\"$HOME/ran\"\n",
      to: "spy",
      isExecutable: true
    )
    try home.write("#!/bin/sh\necho clip\n", to: "bin/xclip", isExecutable: true)
    let text = try ExamplesTests.text(path).replacing(ExamplesTests.placeholder, with: spy)
    try home.write("# i3 config file (v4)\n" + text, to: "config")
    // Press each key until its command ran: nothing signals when the keys are bound.
    let presses = keys.enumerated().map { index, key in
      Home.until(
        "[ \"$(sort -u ran | wc -l)\" -gt \(index) ]",
        meanwhile: "xdotool key \(key); sleep 0.1"
      )
    }
    return try await home.shell(
      """
      touch ran
      Xvfb -displayfd 3 -screen 0 640x480x8 -nolisten tcp 3>display 2>/dev/null & server=$!
      \(Home.until("[ -s display ]"))
      DISPLAY=:$(cat display); export DISPLAY
      \(program) -c config >log 2>&1 & manager=$!
      \(presses.joined(separator: "\n"))
      kill $manager $server; wait
      cat log >&2; sort -u ran
      """,
      environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "SHELL": "/bin/sh"]
    )
  }

  private static let words = ["new", "pick", "run clip", "run standup"]
  private static let keys = ["super+o", "super+n", "super+shift+o", "super+ctrl+o"]

  @Test("i3 runs the command of a pressed key", .enabled(if: has("i3") && hasX))
  func i3Keys() async throws {
    let ran = try await Self.pressed(Self.keys, under: "i3", config: "i3/oppi.conf", in: Home())
    #expect(ran.outputLines.map(String.init) == Self.words, "\(ran)")
  }

  @Test("sxhkd runs the command of a pressed key", .enabled(if: has("sxhkd") && hasX))
  func sxhkdKeys() async throws {
    let ran = try await Self.pressed(
      Self.keys,
      under: "sxhkd",
      config: "sxhkd/oppi.sxhkdrc",
      in: Home()
    )
    #expect(ran.outputLines.map(String.init) == Self.words, "\(ran)")
  }

  @Test("Hyprland's lines have the form of binds")
  func hyprland() throws {
    let lines = try ExamplesTests.text("hyprland/oppi.conf").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    #expect(lines.count == 4)
    for line in lines {
      #expect(line.wholeMatch(of: /bind = [A-Z ]+, [A-Z], exec, \S.*/) != nil, "\(line)")
    }
  }

  private static let mediaKeys = FileManager.default.fileExists(
    atPath: "/usr/share/glib-2.0/schemas/org.gnome.settings-daemon.plugins.media-keys.gschema.xml"
  )

  @Test(
    "the script adds the GNOME keys once, keeps other keys, and removes its own",
    .enabled(if: has("gsettings") && mediaKeys, "needs gnome-settings-daemon-common")
  )
  func gnome() async throws {
    let home = try Home()
    let script = try ExamplesTests.install("gnome/oppi-keys", in: home)
    let schema = "org.gnome.settings-daemon.plugins.media-keys"
    let folder = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings"
    let list = "gsettings get \(schema) custom-keybindings"
    let outcome = try await home.shell(
      """
      export GSETTINGS_BACKEND=keyfile
      gsettings set \(schema) custom-keybindings "['/other/']"
      \(script) && \(script) && \(list)
      for k in pick new standup; do gsettings get \(schema).custom-keybinding:\(folder)/oppi-$k/ command; done
      \(script) --remove && \(list)
      gsettings set \(schema) custom-keybindings '[]'
      \(script) && \(script) --remove && \(list)
      """
    )
    let keys = ["pick", "new", "standup"].map { "'\(folder)/oppi-\($0)/'" }
    let program = Executable.oppi
    let expected: [String] = [
      "['/other/', \(keys.joined(separator: ", "))]", "'\(program) pick'", "'\(program) new'",
      "'\(program) run standup'", "['/other/']", "@as []",
    ]
    #expect(outcome.outputLines.map(String.init) == expected, "\(outcome)")
  }

  @Test(
    "desktop-file-validate accepts the entries",
    .needs("desktop-file-validate"),
    arguments: [
      "desktop/oppi.desktop", "desktop/oppi-link.desktop", "kde/oppi-pick.desktop",
      "kde/oppi-new.desktop", "kde/oppi-standup.desktop",
    ]
  )
  func entries(path: String) async throws {
    let file = ExamplesTests.folder.appending(path: path).path
    let outcome = try await Home().run(["/usr/bin/env", "desktop-file-validate", file])
    #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
  }

  @Test(
    "a clicked invite opens a terminal window",
    .needs("gio", "update-desktop-database")
  )
  func link() async throws {
    let home = try Home()
    let server = try await Line.multiplexed.start()
    let place = ".local/share/applications/oppi-link.desktop"
    try home.write(try ExamplesTests.example("desktop/oppi-link.desktop"), to: place)
    let window = "#!/bin/sh\necho \"$@\" >\"$HOME/part\" && mv \"$HOME/part\" \"$HOME/opened\"\n"
    try home.write(window, to: "bin/xdg-terminal-exec", isExecutable: true)
    let outcome = try await home.shell(
      """
      update-desktop-database .local/share/applications
      gio open '\(server.makeInvite().url)' && \(Home.until("[ -s opened ]")); cat opened
      """,
      environment: [
        "PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "DISPLAY": ":0",
        // Without an address, GIO starts a bus for the display.
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
      ]
    )
    #expect(outcome.output == "\(Executable.oppi) pair --link\n", "\(outcome)")
    // Nothing is sent before the answer yes.
    #expect(server.journal.connections == 0)
  }

  @Test(
    "the command of a bar prints that bar's format",
    arguments: [
      ("waybar/config.jsonc", "{\"alt\":\"notPaired\""), ("polybar/config.ini", "%{F#767676}+"),
      ("i3blocks/config", "+ not paired\n+\n#767676\n"),
      ("tmux/tmux.conf", "+ not paired"),
      ("argos/oppi.10s.sh", "+ not paired |"),
    ]
  )
  func bars(path: String, beginning: String) async throws {
    let home = try Home()
    let text = try ExamplesTests.example(path)
    let command = try #require(text.firstMatch(of: /[^\s"(]*\/oppi status[a-z0-9 -]*/)).output
    let outcome = try await home.shell(String(command.replacing(" --follow", with: "")))
    #expect(outcome.output.hasPrefix(beginning), "\(outcome)")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }
}
