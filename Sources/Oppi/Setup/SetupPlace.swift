// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiPrompts
import OppiSystem

/// The folders in which the system looks for the files of one user or of all users.
struct SetupPlace: Sendable, Equatable {
  /// The name of the installation record; `nil` for a staging folder, which has no record.
  let recordName: String?
  /// `DESTDIR`: precedes each path when files are written, but is not part of the installed path.
  let stage: String
  /// The folder of `man`, `applications` and the completions.
  let data: String
  let fishCompletions: String
  let units: String
  /// The users that can read new folders.
  let folders: Readers

  /// Returns the folders of this user.
  static func user(_ paths: XDGPaths) -> SetupPlace {
    SetupPlace(
      recordName: "user",
      stage: "",
      data: paths.dataHome,
      fishCompletions: "\(paths.configHome)/fish/completions",
      units: "\(paths.configHome)/systemd/user",
      folders: .owner
    )
  }

  /// Returns the folders below a prefix such as `/usr/local`; `stage` is empty or a staging folder.
  static func prefix(_ prefix: String, stage: String) -> SetupPlace {
    SetupPlace(
      recordName: stage.isEmpty ? (prefix.isEmpty ? "/" : prefix) : nil,
      stage: stage,
      data: "\(stage)\(prefix)/share",
      fishCompletions: "\(stage)\(prefix)/share/fish/vendor_completions.d",
      units: "\(stage)\(prefix)/lib/systemd/user",
      folders: .everyone
    )
  }

  var zshFunctions: String { "\(data)/zsh/site-functions" }
  var applications: String { "\(data)/applications" }

  /// The folders that zsh searches by default; the last one is Debian's.
  static let zshDefaults = [
    "/usr/local/share/zsh/site-functions", "/usr/share/zsh/site-functions",
    "/usr/share/zsh/vendor-completions",
  ]
}

extension SetupPlace {
  /// Returns the files that make a program known to other programs.
  ///
  /// Each has a last line that says which program owns it, but not in a staging folder: the package
  /// that they are for will own them.
  func items(for program: SetupProgram) -> [Installation.Item] {
    func item(
      _ what: String,
      _ path: String,
      _ text: String,
      comment: String = "#",
      collection: String? = nil
    ) -> Installation.Item {
      let mark =
        stage.isEmpty
        ? "\(comment) Written by 'oppi setup'; remove with 'oppi setup --remove'.\n" : ""
      return Installation.Item(
        path: path,
        what: what,
        bytes: Array((text + mark).utf8),
        collection: collection
      )
    }
    let name = program.name
    let completions = CompletionShell.allCases.map { shell in
      let path =
        switch shell {
        case .bash: "\(data)/bash-completion/completions/\(name)"
        case .zsh: "\(zshFunctions)/_\(name)"
        case .fish: "\(fishCompletions)/\(name).fish"
        }
      return item("\(shell.rawValue) completions", path, shell.script(for: name))
    }
    let manual = OppiTable.manual(for: name).pages.map { page in
      item(
        "manual page",
        "\(data)/man/man\(page.section)/\(page.fileName)",
        page.source,
        comment: ".\\\"",
        collection: "manual of \(name)"
      )
    }
    return completions + manual + [
      item(
        "desktop entry",
        "\(applications)/\(name).desktop",
        DesktopEntry.application(of: program)
      ),
      item(
        "oppi:// link handler",
        "\(applications)/\(program.linkHandler)",
        DesktopEntry.linkHandler(of: program)
      ),
      item("watch service", "\(units)/\(program.watchUnit)", ServiceUnit.watch(by: program)),
      item("outbox service", "\(units)/\(program.outboxService)", ServiceUnit.outbox(by: program)),
      item(
        "outbox timer",
        "\(units)/\(program.outboxTimer)",
        ServiceUnit.outboxTimer(for: program)
      ),
    ]
  }
}
