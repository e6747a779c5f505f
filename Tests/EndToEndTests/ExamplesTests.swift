// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TestSupport
import Testing

/// The files of `Examples/`, run as a user would run them: only paths and names of servers are put
/// in.
@Suite(.fewAtOnce) struct ExamplesTests {
  @Test("README installs the program where the examples call it")
  func installed() throws {
    let readme = try String(contentsOf: .package.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("install -Dm755 .build/release/oppi ~/\(Self.program)\n"))
    let folder = URL.package.appending(path: "Examples")
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      guard let text = try? Self.example(file) else { continue }
      for path in text.matches(of: /[^\s"(=]*\/(oppi|ask-and-tell)(?=["\s])/).map(\.output.0)
      // The name of a module in waybar.
      where path != "custom/oppi" {
        let isHome = path.hasPrefix("$HOME/.local/bin/") || path.hasPrefix("~/.local/bin/")
        #expect(isHome || path.hasSuffix("%h/\(Self.program)"), "\(file): \(path)")
      }
    }
  }

  @Test("every example is checked by a test of this suite")
  func allAreChecked() throws {
    let folder = URL.package.appending(path: "Examples")
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: folder.appending(path: path).path,
        isDirectory: &isFolder
      )
      return !isFolder.boolValue
    }
    #expect(!files.isEmpty)
    for file in files { #expect(source.contains("\"\(file)\""), "\(file)") }
  }

  @Test("the crontab's lines fire their prompts as cron runs them")
  func crontab() async throws {
    let home = try Home()
    let server = try await Self.start(in: home)
    try home.write("stand up\n", to: "prompts/standup.md")
    try home.write("by night\n", to: "prompts/nightly.md")
    let reference = "\(server.fingerprint.text)|\(server.configuration.workspaces[0].id)"
    let text = try Self.example("cron/crontab")
    let lines = text.split(separator: "\n").filter { $0.contains("oppi\" ask") }
    #expect(lines.count == 2)
    for line in lines {
      let command = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)[5]
        .replacing(/sha256:[^|]+\|\w+/, with: reference)
      // Cron would end the command at a percent sign.
      #expect(!command.contains("%"))
      let outcome = try await home.run(
        [
          "/usr/bin/env", "-i", "HOME=\(home.folder.path)", "PATH=/usr/bin:/bin", "/bin/sh", "-c",
          String(command),
        ]
      )
      #expect(outcome.status == 0, "\(outcome)")
      // A success is no mail.
      #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }
    #expect(server.texts == ["stand up", "by night"])
    await server.stop()
    try FileManager.default.removeItem(at: home.folder.appending(path: "oppi.log"))
    for line in lines {
      let command = line.split(maxSplits: 5, whereSeparator: \.isWhitespace)[5]
        .replacing(/sha256:[^|]+\|\w+/, with: reference)
      let outcome = try await home.shell("\(command); cat oppi.log >&2 2>/dev/null")
      #expect(outcome.errors.contains("Can't reach studio"), "\(outcome)")
    }
  }

  @Test("the crontab's lines are added to those that are there, as it says")
  func crontabInstallation() async throws {
    let home = try Home()
    let text = try Self.example("cron/crontab")
    try home.write(text, to: "crontab")
    let fake = """
      #!/bin/sh
      case $1 in -l) cat "$HOME/installed" ;; -) cat >"$HOME/next" && mv "$HOME/next" "$HOME/installed" ;; esac
      """
    try home.write(fake, to: "bin/crontab", isExecutable: true)
    try home.write("0 0 * * * mine\n", to: "installed")
    let command = try #require(text.firstMatch(of: /with: (.+)/)).output.1
    let outcome = try await home.shell(
      "\(command); cat installed",
      environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
    )
    #expect(outcome.output == "0 0 * * * mine\n\(text)", "\(outcome)")
  }

  @Test("cron takes the crontab", .enabled(if: has("crontab")))
  func crontabSyntax() async throws {
    let home = try Home()
    try home.write(try Self.example("cron/crontab"), to: "crontab")
    let outcome = try await home.shell("crontab -n crontab")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test(
    "systemd takes the units",
    .enabled(if: has("systemd-analyze")),
    arguments: [
      "systemd/oppi-standup.service", "systemd/oppi-standup.timer", "systemd/oppi-watch.service",
    ]
  )
  func units(path: String) async throws {
    let home = try Home()
    for unit in [
      "systemd/oppi-standup.service", "systemd/oppi-standup.timer", "systemd/oppi-watch.service",
    ] {
      let text = try Self.example(unit).replacing("%h/.local/bin/oppi", with: Executable.oppi)
      try home.write(text, to: unit)
    }
    let outcome = try await home.shell(
      "XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify --man=no \(path)"
    )
    // A misspelt key is only a line on standard error.
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("the service's command fires its prompt")
  func serviceCommand() async throws {
    let home = try Home()
    let server = try await Self.start(in: home)
    try home.write("stand up\n", to: ".config/oppi/standup.md")
    let text = try Self.example("systemd/oppi-standup.service")
    let command = try #require(text.firstMatch(of: /ExecStart=:(.+)/)).output.1
    let words = command.split(separator: " ").map(String.init)
    try #require(words.first == "%h/.local/bin/oppi")
    let outcome = try await home.oppi(Array(words.dropFirst()))
    #expect(outcome.status == 0, "\(outcome)")
    #expect(server.texts == ["stand up"])
  }

  @Test(
    "the keys' commands fire their prompts",
    arguments: ["hotkeys/sway.conf", "hotkeys/i3.conf"]
  )
  func keys(path: String) async throws {
    let home = try Home()
    let server = try await Self.start(in: home)
    try home.write("go on\n", to: "prompts/continue.md")
    let terminal = "xdg-terminal-exec"
    try Self.install("hotkeys/ask-and-tell.sh", in: home)
    for program in ["wl-paste", "rofi", "xclip", terminal] {
      let file = "bin/\(program)"
      let says =
        program == terminal ? "echo \"$@\" >\"$HOME/opened\"" : "printf 'from %s\\n' \(program)"
      try home.write("#!/bin/sh\n\(says)\n", to: file, isExecutable: true)
    }
    let bindings = try Self.example(path).split(separator: "\n").filter { $0.hasPrefix("bindsym") }
    for binding in bindings {
      let pattern = /bindsym Mod4\+[A-Za-z+]+ exec (?:--no-startup-id )?"(.+)"/
      let command = try #require(binding.wholeMatch(of: pattern), "\(binding)").output.1
      let outcome = try await home.shell(
        String(command),
        environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
      )
      #expect(outcome.status == 0, "\(outcome)")
    }
    let programs = path.contains("sway") ? ["wl-paste", "rofi"] : ["xclip"]
    if bindings.contains(where: { $0.contains("oppi new") }) {
      let opened = try await home.shell("until [ -s opened ]; do :; done; cat opened")
      #expect(opened.output.hasSuffix("oppi launch\n"), "\(opened)")
    }
    #expect(server.texts == programs.map { "from \($0)" } + ["go on"])
    let told = try await home.shell("cat told")
    #expect(
      told.outputLines.count { $0.contains("Pi is working on it in api") } == programs.count + 1
    )
  }

  @Test("what a key could not ask is told with its hint, and the status is kept")
  func keyFails() async throws {
    let home = try Home()
    let server = try await Self.start(in: home)
    try Self.install("hotkeys/ask-and-tell.sh", in: home)
    let outcome = try await home.shell(
      "$HOME/.local/bin/ask-and-tell -w nowhere hi; echo $?; cat told",
      environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
    )
    #expect(outcome.outputLines.first.map(String.init) == "66", "\(outcome)")
    #expect(outcome.output.contains("-u critical oppi: not asked (status 66)"), "\(outcome)")
    #expect(outcome.output.contains("no workspace 'nowhere'"), "\(outcome)")
    #expect(outcome.output.contains("hint: there are: studio/api"), "\(outcome)")
    #expect(server.texts.isEmpty)
  }

  @Test("the GNOME script appends its key once and keeps the others")
  func gnome() async throws {
    let home = try Home()
    try home.write(try Self.example("hotkeys/gnome.sh"), to: "gnome.sh")
    let gsettings = """
      #!/bin/sh
      file="$HOME/settings/$(printf '%s' "$2 $3" | tr ' /' '__')"
      mkdir -p "$HOME/settings"
      case $1 in
        get) cat "$file" ;;
        set) printf '%s\\n' "$4" >"$file" ;;
      esac
      """
    try home.write(gsettings, to: "bin/gsettings", isExecutable: true)
    let list = "settings/org.gnome.settings-daemon.plugins.media-keys_custom-keybindings"
    try home.write("['/other/']\n", to: list)
    for _ in 0..<2 {
      let outcome = try await home.shell(
        "sh gnome.sh",
        environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
      )
      #expect(outcome.status == 0, "\(outcome)")
    }
    let keys = try String(contentsOf: home.folder.appending(path: list), encoding: .utf8)
    #expect(
      keys
        == "['/other/', '/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/oppi/']\n"
    )
  }

  @Test(
    "a bar's command prints what the bar reads",
    arguments: [
      ("bars/waybar.jsonc", "{\"alt\":\"notPaired\""), ("bars/polybar.ini", "%{F#8e8e93}+"),
      ("bars/i3blocks.conf", "+ not paired\n+\n#8e8e93\n"), ("bars/tmux.conf", "#[fg=#8e8e93]+"),
      ("bars/oppi.10s.sh", "+ not paired |"),
    ]
  )
  func bars(path: String, beginning: String) async throws {
    let home = try Home()
    try Self.install(in: home)
    let text = try Self.example(path)
    let command = try #require(text.firstMatch(of: /~\/\.local\/bin\/oppi status[a-z0-9 -]*/))
      .output
    let outcome = try await home.shell(String(command.replacing(" --follow", with: "")))
    #expect(outcome.output.hasPrefix(beginning), "\(outcome)")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("the script asks for each repository and tells which were not taken")
  func eachRepository() async throws {
    let home = try Home()
    let server = try await Self.start(in: home)
    try home.write("update\n", to: "prompt.md")
    for repository in ["api", "webapp", "unknown"] {
      try home.write("", to: "code/\(repository)/.git/HEAD")
    }
    try home.write("", to: "code/no-repository/file")
    try home.write(try Self.example("scripts/ask-each-repository.sh"), to: "ask.sh")
    let outcome = try await home.shell("sh ask.sh code prompt.md")
    #expect(outcome.status == 66, "\(outcome)")
    #expect(outcome.outputLines.map { $0.prefix { $0 != "\t" } } == ["api", "webapp"])
    #expect(outcome.errors.contains("unknown: not asked (status 66)"))
    #expect(server.texts == ["update", "update"])
  }
}
