// SPDX-License-Identifier: MIT

import CommandTable
import OppiSystem

/// The program as other programs are to call it.
struct SetupProgram: Sendable, Equatable {
  /// What it is called on the command line.
  let name: String
  /// Its file, an absolute path of one line.
  let path: String
}

/// A file by which other programs know this one.
struct SetupArtifact: Sendable {
  /// What it is, for people.
  let what: String
  let path: @Sendable (SetupPlace, SetupProgram) -> String
  let text: @Sendable (SetupProgram) -> String
  /// What begins a comment in its format.
  var comment = "#"

  /// All of them; a unit of another command is one more row.
  static let all = [
    SetupArtifact(
      what: "completions for bash",
      path: { "\($0.data)/bash-completion/completions/\($1.name)" },
      text: { BashCompletion.script(for: $0.name) }
    ),
    SetupArtifact(
      what: "completions for zsh",
      path: { "\($0.zshFunctions)/_\($1.name)" },
      text: { ZshCompletion.script(for: $0.name) }
    ),
    SetupArtifact(
      what: "completions for fish",
      path: { "\($0.fishCompletions)/\($1.name).fish" },
      text: { FishCompletion.script(for: $0.name) }
    ),
    SetupArtifact(
      what: "manual",
      path: { "\($0.data)/man/man1/\($1.name).1" },
      text: { _ in ManPage.mdoc(for: OppiTable.tool, date: Oppi.releaseDate) },
      comment: ".\\\""
    ),
    SetupArtifact(
      what: "desktop entry",
      path: { "\($0.applications)/\($1.name).desktop" },
      text: { DesktopEntry.application(of: $0).text }
    ),
    SetupArtifact(
      what: "handler of oppi:// links",
      path: { "\($0.applications)/\($1.linkHandler)" },
      text: { DesktopEntry.linkHandler(of: $0).text }
    ),
    SetupArtifact(
      what: "unit of the watch",
      path: { "\($0.units)/\($1.watchUnit)" },
      text: { ServiceUnit.watch(by: $0) }
    ),
    SetupArtifact(
      what: "unit of the outbox",
      path: { "\($0.units)/\($1.outboxService)" },
      text: { ServiceUnit.outbox(by: $0) }
    ),
    SetupArtifact(
      what: "timer of the outbox",
      path: { "\($0.units)/\($1.outboxTimer)" },
      text: { ServiceUnit.outboxTimer(for: $0) }
    ),
  ]

  /// The file in a place, which says at its end whose it is.
  func item(in place: SetupPlace, for program: SetupProgram) -> Installation.Item {
    let mark = "\(comment) Written by '\(Oppi.name) setup', which takes it back with --remove.\n"
    return Installation.Item(
      path: path(place, program),
      what: what,
      bytes: Array((text(program) + mark).utf8)
    )
  }
}

extension SetupProgram {
  var linkHandler: String { "\(name)-link.desktop" }
  var watchUnit: String { "\(name)-watch.service" }
  var outboxService: String { "\(name)-outbox.service" }
  var outboxTimer: String { "\(name)-outbox.timer" }

  /// A unit that a user enables, with the target that then wants it.
  typealias Unit = (name: String, target: String)

  /// The units to be enabled; the first one does what the others do, too.
  var enabledUnits: [Unit] {
    [(watchUnit, "default.target"), (outboxTimer, "timers.target")]
  }
}
