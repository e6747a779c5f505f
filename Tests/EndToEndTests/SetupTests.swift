// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The files of `oppi setup`, read by the programs that use them.
@Suite("oppi setup, with real programs", .fewAtOnce) struct SetupTests {
  /// A home in which the program is installed.
  private static func home() throws -> Home {
    let home = try Home()
    try ExamplesTests.install(in: home)
    return home
  }

  private static let variables = ["PATH": "/usr/local/bin:/usr/bin:/bin"]

  /// Runs a script with the installed program in PATH.
  private static func shell(
    _ script: String,
    in home: Home,
    shell: String = "/bin/sh"
  ) async throws -> Outcome {
    try await home.shell(
      script,
      shell: shell,
      environment: ["PATH": "\(home.folder.path)/.local/bin:/usr/local/bin:/usr/bin:/bin"]
    )
  }

  private static func setup(
    in home: Home,
    _ words: String = "",
    umask: String = "022"
  ) async throws -> Outcome {
    let outcome = try await shell("umask \(umask); oppi setup \(words)", in: home)
    try #require(outcome.status == 0, "\(outcome)")
    return outcome
  }

  /// Each path below the home with its type, mode and link target, then the hash of each file.
  private static func tree(of home: Home) async throws -> String {
    let script =
      "find . ! -name '.*.in' ! -name '.????????-*' -printf '%y %m %p %l\\n' | sort; "
      + "find . -type f ! -name '.????????-*' -exec sha256sum {} + | sort"
    return try await home.shell(script).output
  }

  @Test(
    "setup --remove restores the home to the byte",
    arguments: ["022", "002", "077"]
  )
  func thereAndBack(mask: String) async throws {
    let home = try Self.home()
    try home.write(
      "[Desktop Entry]\nType=Application\nName=x\nExec=x\n",
      to: ".local/share/applications/x.desktop"
    )
    try home.write("mine\n", to: ".config/systemd/user/mine.service")
    let before = try await Self.tree(of: home)
    _ = try await Self.setup(in: home, umask: mask)
    let after = try await Self.tree(of: home)
    #expect(after != before)
    let second = try await Self.setup(in: home, umask: mask)
    #expect(second.outputLines.allSatisfy { $0.hasSuffix("\tunchanged") }, "\(second)")
    #expect(try await Self.tree(of: home) == after)
    _ = try await Self.setup(in: home, "--remove", umask: mask)
    #expect(try await Self.tree(of: home) == before)
  }

  @Test("entries and units use the path by which the program was called, links included")
  func ownPath() async throws {
    let home = try Self.home()
    let path = "\(home.folder.path)/.local/bin/oppi"
    for call in ["oppi", "./.local/bin/oppi", path] {
      let outcome = try await Self.shell(
        "\(call) setup; grep -h ^Exec .local/share/applications/* .config/systemd/user/*",
        in: home
      )
      let calls = outcome.outputLines.filter { $0.hasPrefix("Exec") }
      #expect(calls.count == 6, "\(outcome)")
      // Only the folder of a relative path may be resolved.
      #expect(calls.allSatisfy { $0.contains("/.local/bin/oppi ") }, "\(outcome)")
      _ = try await Self.setup(in: home, "--remove")
    }
  }

  @Test(
    "man finds each page by its name through the program's folder in PATH",
    .needs("man"),
    arguments: [
      ("oppi", "man1/oppi.1"), ("oppi-ask", "man1/oppi-ask.1"), ("oppi ask", "man1/oppi-ask.1"),
      ("oppi-config", "man1/oppi-config.1"), ("5 oppi-config", "man5/oppi-config.5"),
      ("oppi-json", "man5/oppi-json.5"), ("oppi-values", "man7/oppi-values.7"),
    ]
  )
  func pages(words: String, page: String) async throws {
    let home = try Self.home()
    _ = try await Self.setup(in: home)
    let found = try await Self.shell("man -w \(words)", in: home)
    #expect(found.output == "\(home.folder.path)/.local/share/man/\(page)\n", "\(found)")
    let shown = try await Self.shell("man -P cat \(words)", in: home)
    #expect(shown.status == 0 && shown.output.contains("NAME"), "\(shown)")
    #expect(shown.errors.isEmpty, "\(shown)")
  }

  @Test(
    "bash loads the completions on demand",
    .enabled(if: FileManager.default.fileExists(atPath: Self.bashCompletion))
  )
  func bash() async throws {
    let home = try Self.home()
    _ = try await Self.setup(in: home)
    let script = """
      . \(Self.bashCompletion)
      __load_completion oppi && complete -p oppi
      """
    let outcome = try await Self.shell(script, in: home, shell: "/bin/bash")
    #expect(outcome.output == "complete -F _oppi oppi\n", "\(outcome)")
  }

  static let bashCompletion = "/usr/share/bash-completion/bash_completion"

  @Test("fish loads the completions automatically", .needs("fish"))
  func fish() async throws {
    let home = try Self.home()
    _ = try await Self.setup(in: home)
    // Without this folder, fish starts a background job.
    try FileManager.default.createDirectory(
      at: home.folder.appending(path: ".local/share/fish/generated_completions"),
      withIntermediateDirectories: true
    )
    let outcome = try await Self.shell("fish -c \"complete -C 'oppi setu'\"", in: home)
    #expect(outcome.output.hasPrefix("setup\t"), "\(outcome)")
  }

  @Test("zsh finds its function in the suggested folder", .needs("zsh"))
  func zsh() async throws {
    let home = try Self.home()
    let outcome = try await Self.setup(in: home)
    let line = try #require(outcome.errors.firstMatch(of: /fpath\+=\(.*\)/), "\(outcome)").output
    let script =
      "\(line)\nautoload -Uz compinit && compinit -u -d $HOME/dump && print $_comps[oppi]"
    let found = try await home.run(["/usr/bin/env", "zsh", "-f", "-c", script])
    #expect(found.output == "_oppi\n", "\(found)")
  }

  /// Links the program under test below a folder of the home and returns the link's path.
  private static func program(under folder: String, in home: Home) throws -> String {
    let folder = home.folder.appending(path: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let link = folder.appending(path: "oppi")
    try FileManager.default.createSymbolicLink(
      at: link,
      withDestinationURL: URL(filePath: Executable.oppi)
    )
    return link.path
  }

  @Test("desktop-file-validate accepts the entries", .needs("desktop-file-validate"))
  func entries() async throws {
    let home = try Self.home()
    for program in [Executable.oppi, try Self.program(under: "o d%f $x `y`;&", in: home)] {
      let outcome = try await home.run([program, "setup"])
      try #require(outcome.status == 0, "\(outcome)")
      let check = try await Self.shell(
        "desktop-file-validate .local/share/applications/*.desktop",
        in: home
      )
      #expect(check.status == 0 && check.output.isEmpty, "\(check)")
    }
  }

  @Test("systemd accepts the unit with any character in the path", .needs("systemd-analyze"))
  func unit() async throws {
    let home = try Self.home()
    let outcome = try await home.run([try Self.program(under: "o d%f $x;", in: home), "setup"])
    try #require(outcome.status == 0, "\(outcome)")
    // systemd-analyze also fails if the program is missing.
    let check = try await home.shell(
      "XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify --man=no .config/systemd/user/*"
    )
    #expect(check.status == 0 && check.errors.isEmpty, "\(check)")
  }

  @Test("a path that systemd cannot run is 78, and nothing is written")
  func impossiblePath() async throws {
    let home = try Self.home()
    let outcome = try await Self.shell(
      #"mkdir 'a"b' && ln -s "$(command -v oppi)" 'a"b' && './a"b/oppi' setup; echo $?; ls -A"#,
      in: home
    )
    #expect(outcome.outputLines.first == "78", "\(outcome)")
    #expect(outcome.errors.contains("a systemd unit cannot run"), "\(outcome)")
    #expect(!outcome.outputLines.contains(".config"), "\(outcome)")
  }

  @Test("an opened link is one argument of the handler", .needs("gio", "update-desktop-database"))
  func link() async throws {
    let home = try Self.home()
    _ = try await Self.setup(in: home)
    let entry = home.folder.appending(path: ".local/share/applications/oppi-link.desktop")
    let text = try String(contentsOf: entry, encoding: .utf8)
    let spy = try home.write(
      "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/opened.part\" && mv \"$HOME/opened.part\" \"$HOME/opened\"\n",
      to: "spy",
      isExecutable: true
    )
    try text.replacing("\(home.folder.path)/.local/bin/oppi", with: spy)
      .write(to: entry, atomically: true, encoding: .utf8)
    let url = "oppi://connect?v=3&invite=a;b$(touch%20x)`id`"
    let outcome = try await Self.shell(
      "update-desktop-database .local/share/applications; gio open '\(url)' && "
        + "\(Home.until("[ -s opened ]")); cat opened",
      in: home
    )
    #expect(outcome.output.hasPrefix("pair\n--link\n--\noppi://connect?"), "\(outcome)")
    #expect(outcome.outputLines.count == 4, "\(outcome)")
  }
}
