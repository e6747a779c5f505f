// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

extension PromptDeliverer {
  /// The commands that deliver queued prompts.
  static let remedies = [
    "deliver them: oppi outbox flush", "deliver automatically: oppi setup, or oppi watch",
  ]
}

extension Context {
  /// The background units that setup installs.
  var backgroundUnits: [UserManager.Unit] {
    SetupProgram(name: programName, path: intents.programPath()).enabledUnits
  }

  /// Says that nothing delivers a prompt that was just queued, and what would; empty otherwise.
  func deliveryNotes() async -> [Report.Note] {
    guard let deliverer = try? await intents.promptDeliverer(among: backgroundUnits),
      deliverer == .nothing
    else { return [] }
    return [.warning("queued prompts are not delivered automatically")]
      + PromptDeliverer.remedies.map(Report.Note.hint)
  }
}

/// The subject of the checks of `oppi doctor`.
struct CheckedProgram: DoctorSubject {
  let context: Context
  let trigger: Trigger?

  init(in context: Context, for trigger: Trigger? = nil) {
    (self.context, self.trigger) = (context, trigger)
  }

  var intents: IntentContext { context.intents }
  var programName: String { context.programName }

  var backgroundUnits: [UserManager.Unit] { context.backgroundUnits }

  func servers() throws -> [PairedServer] { try context.servers() }

  func shortcuts() throws -> [ShortcutName] { try context.shortcuts.all() }

  func workspace(of shortcut: ShortcutName) throws -> String? {
    try context.shortcuts.shortcut(shortcut).workspace
  }

  func notifyCommand() throws -> [String]? {
    try context.config.load().value(of: .notifyCommand, as: ProgramLine.self)?.words
  }

  func completion(for shell: String) -> (script: String, places: [String])? {
    let name = programName
    let place = SetupPlace.user(context.paths)
    let shared = (context.nonEmpty("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
      .split(separator: ":").map(String.init)
    switch shell {
    case "bash":
      let folders = [place.data] + shared
      return (
        BashCompletion.script(for: name),
        folders.map { "\($0)/bash-completion/completions/\(name)" }
          + ["/etc/bash_completion.d/\(name)"]
      )
    case "zsh":
      let functions = (context.environment["FPATH"] ?? "").split(separator: ":").map(String.init)
      let folders = functions + [place.zshFunctions] + SetupPlace.zshDefaults
      return (ZshCompletion.script(for: name), folders.map { "\($0)/_\(name)" })
    case "fish":
      let folders = [place.fishCompletions] + shared.map { "\($0)/fish/vendor_completions.d" }
      return (FishCompletion.script(for: name), folders.map { "\($0)/\(name).fish" })
    default: return nil
    }
  }
}
