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
  let path: @Sendable (SetupPlace) -> String
  let text: @Sendable () -> String
  /// What begins a comment in its format.
  var comment = "#"
  /// The collection that it belongs to, if any: what an older version installed of that collection
  /// and this one has not is removed.
  var collection: String?

  /// All of them; a unit of another command is one more row.
  static func all(for program: SetupProgram) -> [SetupArtifact] {
    completions(for: program) + manual(of: program) + entries(for: program) + units(for: program)
  }

  private static func completions(for program: SetupProgram) -> [SetupArtifact] {
    let name = program.name
    return [
      SetupArtifact(
        what: "completions for bash",
        path: { "\($0.data)/bash-completion/completions/\(name)" },
        text: { BashCompletion.script(for: name) }
      ),
      SetupArtifact(
        what: "completions for zsh",
        path: { "\($0.zshFunctions)/_\(name)" },
        text: { ZshCompletion.script(for: name) }
      ),
      SetupArtifact(
        what: "completions for fish",
        path: { "\($0.fishCompletions)/\(name).fish" },
        text: { FishCompletion.script(for: name) }
      ),
    ]
  }

  private static func manual(of program: SetupProgram) -> [SetupArtifact] {
    OppiTable.manual(for: program.name).pages.map { page in
      SetupArtifact(
        what: "manual page",
        path: { "\($0.data)/man/man\(page.section)/\(page.fileName)" },
        text: { page.source },
        comment: ".\\\"",
        collection: "manual of \(program.name)"
      )
    }
  }

  private static func entries(for program: SetupProgram) -> [SetupArtifact] {
    [
      SetupArtifact(
        what: "desktop entry",
        path: { "\($0.applications)/\(program.name).desktop" },
        text: { DesktopEntry.application(of: program).text }
      ),
      SetupArtifact(
        what: "handler of oppi:// links",
        path: { "\($0.applications)/\(program.linkHandler)" },
        text: { DesktopEntry.linkHandler(of: program).text }
      ),
    ]
  }

  private static func units(for program: SetupProgram) -> [SetupArtifact] {
    [
      SetupArtifact(
        what: "unit of the watch",
        path: { "\($0.units)/\(program.watchUnit)" },
        text: { ServiceUnit.watch(by: program) }
      ),
      SetupArtifact(
        what: "unit of the outbox",
        path: { "\($0.units)/\(program.outboxService)" },
        text: { ServiceUnit.outbox(by: program) }
      ),
      SetupArtifact(
        what: "timer of the outbox",
        path: { "\($0.units)/\(program.outboxTimer)" },
        text: { ServiceUnit.outboxTimer(for: program) }
      ),
    ]
  }

  /// The file in a place, which says at its end whose it is.
  func item(in place: SetupPlace) -> Installation.Item {
    let mark =
      "\(comment) Written by '\(Oppi.name) setup'; remove with '\(Oppi.name) setup --remove'.\n"
    return Installation.Item(
      path: path(place),
      what: what,
      bytes: Array((text() + mark).utf8),
      collection: collection
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
