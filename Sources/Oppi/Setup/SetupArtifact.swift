// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The texts of a program that describe its command line.
struct SetupTexts: Sendable {
  /// A page of the manual.
  struct Page: Sendable {
    let section: Int
    let fileName: String
    let source: String
  }

  let bashCompletion: String
  let zshCompletion: String
  let fishCompletion: String
  let manual: [Page]

  init(bash: String, zsh: String, fish: String, manual: [Page]) {
    (bashCompletion, zshCompletion, fishCompletion) = (bash, zsh, fish)
    self.manual = manual
  }
}

/// A file that makes the program known to other programs.
struct SetupArtifact: Sendable {
  /// A description for messages.
  let what: String
  let path: @Sendable (SetupPlace) -> String
  let text: String
  /// The characters that start a comment in the file's format.
  private(set) var comment = "#"
  /// The collection of the file, if any: files that an older version installed in a collection are
  /// removed if this version does not have them.
  private(set) var collection: String?

  /// Returns all files to install.
  static func all(for program: SetupProgram, _ texts: SetupTexts) -> [SetupArtifact] {
    completions(for: program, texts) + manual(of: program, texts) + entries(for: program)
      + units(for: program)
  }

  private static func completions(
    for program: SetupProgram,
    _ texts: SetupTexts
  ) -> [SetupArtifact] {
    let name = program.name
    return [
      SetupArtifact(
        what: "bash completions",
        path: { "\($0.data)/bash-completion/completions/\(name)" },
        text: texts.bashCompletion
      ),
      SetupArtifact(
        what: "zsh completions",
        path: { "\($0.zshFunctions)/_\(name)" },
        text: texts.zshCompletion
      ),
      SetupArtifact(
        what: "fish completions",
        path: { "\($0.fishCompletions)/\(name).fish" },
        text: texts.fishCompletion
      ),
    ]
  }

  private static func manual(of program: SetupProgram, _ texts: SetupTexts) -> [SetupArtifact] {
    texts.manual.map { page in
      SetupArtifact(
        what: "manual page",
        path: { "\($0.data)/man/man\(page.section)/\(page.fileName)" },
        text: page.source,
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
        text: DesktopEntry.application(of: program).text
      ),
      SetupArtifact(
        what: "oppi:// link handler",
        path: { "\($0.applications)/\(program.linkHandler)" },
        text: DesktopEntry.linkHandler(of: program).text
      ),
    ]
  }

  private static func units(for program: SetupProgram) -> [SetupArtifact] {
    [
      SetupArtifact(
        what: "watch service",
        path: { "\($0.units)/\(program.watchUnit)" },
        text: ServiceUnit.watch(by: program)
      ),
      SetupArtifact(
        what: "outbox service",
        path: { "\($0.units)/\(program.outboxService)" },
        text: ServiceUnit.outbox(by: program)
      ),
      SetupArtifact(
        what: "outbox timer",
        path: { "\($0.units)/\(program.outboxTimer)" },
        text: ServiceUnit.outboxTimer(for: program)
      ),
    ]
  }

  /// The file to install, with a last line that says which program owns it.
  ///
  /// A file in a staging folder has no such line: the package that it is for will own it.
  func item(in place: SetupPlace) -> Installation.Item {
    let mark =
      place.stage.isEmpty
      ? "\(comment) Written by 'oppi setup'; remove with 'oppi setup --remove'.\n" : ""
    return Installation.Item(
      path: path(place),
      what: what,
      bytes: Array((text + mark).utf8),
      collection: collection
    )
  }
}
