// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// A step that setup leaves to the user: it changes the user's own files or starts a service.
enum SetupStep: Sendable, Equatable {
  /// Add this folder to the folders in which zsh looks for completions.
  case zshFunctions(folder: String)
  /// Reload the user manager if units were written; restart the enabled ones and enable the others.
  case units(areWritten: Bool, restarted: [String], enabled: [String])
  /// Let this entry open `oppi://` links.
  case linkHandler(entry: String)
  /// Stop units that were removed but are still active, and delete the links that enable them.
  case removedUnits([String], links: [String])
}

/// Determines the steps that the user has to do.
struct SetupSteps {
  let place: SetupPlace
  let program: SetupProgram
  let context: IntentContext

  private var manager: UserManager { context.userManager }

  func afterInstalling(_ results: [Installation.Result]) -> [SetupStep] {
    // Files in a staging folder are not in use yet.
    guard place.stage.isEmpty else { return [] }
    return [zsh, service(results), links].compactMap(\.self)
  }

  /// Reports removed units that are still enabled: their links lead nowhere.
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

  /// The units that a user enables and that have this outcome.
  private func units(
    _ outcome: Installation.Outcome,
    in results: [Installation.Result]
  ) -> [SetupProgram.Unit] {
    program.enabledUnits.filter { unit in
      results.contains { $0.path == "\(place.units)/\(unit.name)" && $0.outcome == outcome }
    }
  }
}

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

extension OppiError {
  /// `DESTDIR` is a relative path.
  static func relativeStage(_ path: String) -> OppiError {
    OppiError(.usage, "DESTDIR must be an absolute path, not '\(path.safeLine())'")
  }

  /// A systemd unit cannot run a program at this path.
  static func unitCannotRun(path: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "a systemd unit cannot run \(path.safeLine())",
      hints: ["install oppi in another folder, for example ~/.local/bin"]
    )
  }

  static let nothingInstalled = OppiError(
    .cannotCreate,
    "nothing was installed: other files have the same paths",
    hints: ["move them away, or rename the program"]
  )
}
