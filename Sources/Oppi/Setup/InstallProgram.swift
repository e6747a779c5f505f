// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiText

/// Installs the files that integrate a program with shells, man, the desktop and systemd.
struct InstallProgram: Sendable {
  private let place: SetupPlace
  private let program: SetupProgram
  private let context: Services

  private var manager: UserManager { context.userManager }

  /// Prepares an installation for this user or, with an absolute path as prefix, for all users.
  ///
  /// - Throws: If the staging folder or the path of the program cannot be used.
  init(
    named name: String,
    below prefix: String?,
    in context: Services
  ) throws(OppiError) {
    let prefix = prefix?.asFolder
    if let prefix {
      let stage = context.nonEmpty("DESTDIR") ?? ""
      guard stage.isEmpty || stage.hasPrefix("/") else {
        throw OppiError(.usage, "DESTDIR must be an absolute path, not '\(stage.safeLine())'")
      }
      place = .prefix(prefix, stage: stage.asFolder)
    } else {
      place = .user(context.paths)
    }
    let path = prefix.map { "\($0)/bin/\(name)" } ?? context.programPath()
    let isOneLine = path.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard path.hasPrefix("/"), isOneLine, UnitProgram.canRun(path) else {
      throw OppiError(
        .badConfiguration,
        "a systemd unit cannot run \(path.safeLine())",
        hints: ["install oppi in another folder, for example ~/.local/bin"]
      )
    }
    program = SetupProgram(name: name, path: path)
    self.context = context
  }

  /// Writes the files, or removes them; a trial only reports the changes.
  ///
  /// - Returns: What was done, and what is left to the user, because it changes the user's own files
  ///   or starts a service: each step is a command to copy.
  /// - Throws: If the record cannot be used, before other files change.
  func run(
    isRemoval: Bool,
    isTrial: Bool
  ) async throws(FileError) -> (results: [Installation.Result], steps: [String]) {
    let items = place.items(for: program)
    let product = desktopCache(of: items)
    let record = place.recordName.map {
      SetupRecordFile(path: context.paths.setupFile, place: $0, files: context.files)
    }
    let files = Installation(record: record, files: context.files, folders: place.folders)
    let results =
      isRemoval
      ? try await files.remove(items, product: product, isTrial: isTrial)
      : try await files.install(items, product: product, isTrial: isTrial)
    let steps = isRemoval ? [removedUnits(results)] : [zsh, startedUnits(results), linkHandler]
    return (results, steps.compactMap(\.self))
  }

  /// The desktop's cache of entries; `nil` for a staging folder, since a package updates the cache
  /// of the machine on which it is installed.
  private func desktopCache(of items: [Installation.Item]) -> Installation.Product? {
    guard place.stage.isEmpty,
      let database = DesktopDatabase(
        folder: place.applications,
        environment: context.environment,
        on: context.loop
      )
    else { return nil }
    let entries = items.map(\.path).filter { $0.hasPrefix("\(place.applications)/") }
    return Installation.Product(
      path: database.cache,
      what: "desktop entry cache",
      sources: Set(entries),
      make: database.refresh
    )
  }

  // MARK: - Steps for the user; files in a staging folder are not in use yet

  /// Adds the completions to the folders in which zsh looks for them.
  private var zsh: String? {
    let folder = place.zshFunctions
    let known =
      SetupPlace.zshDefaults
      + (context.environment["FPATH"] ?? "").split(separator: ":").map(String.init)
    guard place.stage.isEmpty, context.programs.has("zsh"), !known.contains(folder) else {
      return nil
    }
    return "add to ~/.zshrc, before compinit: fpath+=(\(Self.quoted(folder)))"
  }

  /// Reloads the user manager if units were written, restarts the enabled ones, and enables the
  /// main one if none is enabled.
  private func startedUnits(_ results: [Installation.Result]) -> String? {
    guard place.stage.isEmpty, manager.isThere else { return nil }
    let written = units(.written, in: results)
    let old = written.filter(manager.isEnabled).map(\.name)
    let isAnyEnabled = program.enabledUnits.contains(where: manager.isEnabled)
    let new = isAnyEnabled ? [] : program.enabledUnits.prefix(1).map(\.name)
    let commands = [
      written.isEmpty ? nil : "daemon-reload",
      old.isEmpty ? nil : "restart \(old.joined(separator: " "))",
      new.isEmpty ? nil : "enable --now \(new.joined(separator: " "))",
    ].compactMap(\.self)
    return commands.isEmpty
      ? nil : commands.map { "systemctl --user \($0)" }.joined(separator: " && ")
  }

  /// Lets the program open `oppi://` links.
  private var linkHandler: String? {
    guard place.stage.isEmpty, context.programs.has("xdg-mime") else { return nil }
    return "xdg-mime default \(program.linkHandler) x-scheme-handler/oppi"
  }

  /// Stops removed units that are still enabled, and deletes the links, which lead nowhere.
  private func removedUnits(_ results: [Installation.Result]) -> String? {
    let gone = units(.removed, in: results).filter(manager.isEnabled)
    guard !gone.isEmpty else { return nil }
    let links = gone.map { Self.quoted("\(manager.wants($0))/\($0.name)") }
    return "systemctl --user stop \(gone.map(\.name).joined(separator: " ")); "
      + "rm \(links.joined(separator: " "))"
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

  /// Quotes a word for a shell.
  private static func quoted(_ word: String) -> String {
    "'\(word.replacing("'", with: "'\\''"))'"
  }
}

extension String {
  /// The path with single slashes and none at the end, so that another path can follow it.
  fileprivate var asFolder: String {
    split(separator: "/").map { "/\($0)" }.joined()
  }
}
