// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// What setup leaves to the user, since it changes files that are the user's, or starts something.
package enum SetupStep: Sendable, Equatable {
  /// Zsh has to look for completions in this folder.
  case zshFunctions(folder: String)
  /// The user manager has to know the units that were written: those that the user has enabled are
  /// started again, and others are enabled.
  case units(areWritten: Bool, restarted: [String], enabled: [String])
  /// The desktop has to open links with this entry.
  case linkHandler(entry: String)
  /// Units that were removed are still active, and enabled by these links.
  case removedUnits([String], links: [String])
}

/// Finds out what is left to the user.
struct SetupSteps {
  let place: SetupPlace
  let program: SetupProgram
  let context: IntentContext

  private var manager: UserManager { context.userManager }

  func afterInstalling(_ results: [Installation.Result]) -> [SetupStep] {
    // What is staged is not there yet.
    guard place.stage.isEmpty else { return [] }
    return [zsh, service(results), links].compactMap(\.self)
  }

  /// What is of the user's own making and leads nowhere any more.
  func afterRemoving(_ results: [Installation.Result]) -> [SetupStep] {
    let gone = units(.removed, in: results).filter(manager.isEnabled)
    guard !gone.isEmpty else { return [] }
    return [
      .removedUnits(gone.map(\.name), links: gone.map { "\(manager.wants($0))/\($0.name)" })
    ]
  }

  private var zsh: SetupStep? {
    let folder = place.zshFunctions
    let known =
      SetupPlace.zshDefaults
      + (context.environment["FPATH"] ?? "").split(separator: ":").map(String.init)
    guard context.programs.has("zsh"), !known.contains(folder) else { return nil }
    return .zshFunctions(folder: folder)
  }

  private func service(_ results: [Installation.Result]) -> SetupStep? {
    guard manager.isThere else { return nil }
    let written = units(.written, in: results)
    let old = written.filter(manager.isEnabled)
    let new =
      program.enabledUnits.contains(where: manager.isEnabled) ? [] : program.enabledUnits.prefix(1)
    guard !written.isEmpty || !new.isEmpty else { return nil }
    return .units(
      areWritten: !written.isEmpty,
      restarted: old.map(\.name),
      enabled: new.map(\.name)
    )
  }

  private var links: SetupStep? {
    guard context.programs.has("xdg-mime") else { return nil }
    return .linkHandler(entry: program.linkHandler)
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
}
