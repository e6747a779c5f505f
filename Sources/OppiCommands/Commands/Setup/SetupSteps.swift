// SPDX-License-Identifier: MIT

import OppiIntents
import OppiSystem

/// What setup leaves to the user, each a line that can be copied: it changes files that are the
/// user's, or starts something.
struct SetupSteps {
  let place: SetupPlace
  let program: SetupProgram
  let context: Context

  private var manager: UserManager { context.userManager }

  func afterInstalling(_ results: [Installation.Result]) -> [String] {
    // What is staged is not there yet.
    guard place.stage.isEmpty else { return [] }
    return [zsh, service(results), links].compactMap(\.self)
  }

  /// What is of the user's own making and leads nowhere any more.
  func afterRemoving(_ results: [Installation.Result]) -> [String] {
    let gone = units(.removed, in: results).filter(manager.isEnabled)
    guard !gone.isEmpty else { return [] }
    let links = gone.map { quoted("\(manager.wants($0))/\($0.name)") }.joined(separator: " ")
    return ["systemctl --user stop \(names(gone)); rm \(links)"]
  }

  private var zsh: String? {
    let folder = place.zshFunctions
    let known =
      SetupPlace.zshDefaults
      + (context.environment["FPATH"] ?? "").split(separator: ":").map(String.init)
    guard isInstalled("zsh"), !known.contains(folder) else { return nil }
    return "add to ~/.zshrc, before compinit: fpath+=(\(quoted(folder)))"
  }

  private func service(_ results: [Installation.Result]) -> String? {
    guard manager.isThere else { return nil }
    let written = units(.written, in: results)
    let old = written.filter(manager.isEnabled)
    let new =
      program.enabledUnits.contains(where: manager.isEnabled) ? [] : program.enabledUnits.prefix(1)
    let commands = [
      written.isEmpty ? nil : "daemon-reload", old.isEmpty ? nil : "restart \(names(old))",
      new.isEmpty ? nil : "enable --now \(names(Array(new)))",
    ]
    let lines = commands.compactMap(\.self).map { "systemctl --user \($0)" }
    return lines.isEmpty ? nil : lines.joined(separator: " && ")
  }

  private var links: String? {
    guard isInstalled("xdg-mime") else { return nil }
    return "xdg-mime default \(program.linkHandler) x-scheme-handler/oppi"
  }

  /// The units that a user enables of which this has become.
  private func units(
    _ outcome: Installation.Outcome,
    in results: [Installation.Result]
  ) -> [SetupProgram.Unit] {
    program.enabledUnits.filter { unit in
      results.contains { $0.path == "\(place.units)/\(unit.name)" && $0.outcome == outcome }
    }
  }

  private func names(_ units: [SetupProgram.Unit]) -> String {
    units.map(\.name).joined(separator: " ")
  }

  /// A word as a shell takes it.
  private func quoted(_ word: String) -> String { "'\(word.replacing("'", with: "'\\''"))'" }

  private func isInstalled(_ name: String) -> Bool {
    context.programs.has(name)
  }
}
