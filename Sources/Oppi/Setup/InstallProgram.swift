// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Installs the files that integrate a program with shells, man, the desktop and systemd.
struct InstallProgram: Sendable {
  /// The result of an installation or a removal, or of a trial.
  struct Outcome: Sendable {
    let results: [Installation.Result]
    /// The steps that the user has to do.
    let steps: [SetupStep]
  }

  private let place: SetupPlace
  private let program: SetupProgram
  private let texts: SetupTexts
  private let context: IntentContext

  /// Prepares an installation for this user, or for all users below a prefix.
  ///
  /// - Parameters:
  ///   - name: The program's name on the command line.
  ///   - texts: The texts that describe its command line.
  ///   - prefix: The folder for all users, an absolute path; `nil` for this user.
  ///   - context: The environment and the files.
  /// - Throws: ``OppiError``.
  init(
    named name: String,
    with texts: SetupTexts,
    below prefix: String?,
    in context: IntentContext
  ) throws(OppiError) {
    place = try Self.place(prefix, in: context)
    program = try Self.program(named: name, below: prefix, in: context)
    (self.texts, self.context) = (texts, context)
  }

  private static func place(
    _ prefix: String?,
    in context: IntentContext
  ) throws(OppiError) -> SetupPlace {
    guard let prefix else { return .user(context.paths) }
    let stage = context.nonEmpty("DESTDIR") ?? ""
    guard stage.isEmpty || stage.hasPrefix("/") else { throw .relativeStage(stage) }
    return .prefix(prefix.asFolder, stage: stage.asFolder)
  }

  private static func program(
    named name: String,
    below prefix: String?,
    in context: IntentContext
  ) throws(OppiError) -> SetupProgram {
    let path = prefix.map { "\($0.asFolder)/bin/\(name)" } ?? context.programPath()
    let isOneLine = path.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard path.hasPrefix("/"), isOneLine, UnitProgram.canRun(path) else {
      throw .unitCannotRun(path: path)
    }
    return SetupProgram(name: name, path: path)
  }

  /// Writes the files.
  ///
  /// - Parameter isTrial: Whether to report the changes without making them.
  /// - Returns: What was done.
  /// - Throws: `FileError` if the record cannot be used, before other files change.
  func install(isTrial: Bool) async throws(FileError) -> Outcome {
    let items = items
    let results = try await installation.install(
      items,
      product: desktopCache(of: items),
      isTrial: isTrial
    )
    return Outcome(results: results, steps: steps.afterInstalling(results))
  }

  /// Removes the files.
  ///
  /// - Parameter isTrial: Whether to report the changes without making them.
  /// - Returns: What was done.
  /// - Throws: `FileError` if the record cannot be used, before other files change.
  func remove(isTrial: Bool) async throws(FileError) -> Outcome {
    let items = items
    let results = try await installation.remove(
      items,
      product: desktopCache(of: items),
      isTrial: isTrial
    )
    return Outcome(results: results, steps: steps.afterRemoving(results))
  }

  private var items: [Installation.Item] {
    SetupArtifact.all(for: program, texts).map { $0.item(in: place) }
  }

  private var installation: Installation {
    let record = place.recordName.map {
      SetupRecordFile(paths: context.paths, place: $0, files: context.files)
    }
    return Installation(record: record, files: context.files, folders: place.folders)
  }

  private var steps: SetupSteps { SetupSteps(place: place, program: program, context: context) }

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
}

extension String {
  /// The path with single slashes and none at the end, so that another path can follow it.
  fileprivate var asFolder: String {
    split(separator: "/").map { "/\($0)" }.joined()
  }
}
