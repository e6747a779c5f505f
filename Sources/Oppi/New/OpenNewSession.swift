// SPDX-License-Identifier: MIT

import OppiClient
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// Opens an empty session in a workspace, or in that of a launch target.
struct OpenNewSession: Sendable {
  private static let limit = Duration.seconds(10)

  let servers: [PairedServer]
  let context: Services

  // MARK: - The session

  /// Creates a session in a workspace, and records it as the last one; `model` replaces the
  /// workspace's default, and must have the thinking level.
  func open(
    in reference: WorkspaceReference,
    model: String? = nil,
    thinking level: ThinkingLevel? = nil
  ) async throws(OppiError) -> ServerSession {
    let resolver = WorkspaceResolver(servers: servers, query: context.workspaceQuery)
    let target = try await resolver.resolve(reference.description)
    let api = try await context.connections.client(for: target.server)
    let calls = api.within(context.timeout ?? Self.limit)
    var offered: OfferedModel?
    if let model {
      offered = try await context.modelCatalog
        .model(model, thinking: level, of: target.server, over: calls)
    }
    let new = NewSession(
      workspaceID: reference.workspaceID,
      model: offered,
      key: target.server.dialect?.creation.key(for: api.loop.newID())
    )
    let session = try await calls.createSession(new)
    do throws(FileError) {
      try await context.history.use(.init(workspace: reference, sessionID: session.id))
    } catch {
      let message = "could not record session \(session.id) as the last session"
      await context.reporter.warn(message, because: error)
    }
    return target.place(of: session)
  }

  /// Claims the launch target; of several concurrent claims exactly one succeeds.
  ///
  /// Discards a target that is too old. A target whose session cannot be created stays claimed until
  /// a later launch reports it.
  func claim(
    from targets: LaunchTargetStore
  ) throws(OppiError) -> LaunchTargetStore.Claim {
    guard let claim = try OppiError.reading(targets.claim()) else {
      throw OppiError(.noLaunchTarget, "no launch target", hints: ["create one with: oppi new"])
    }
    let now = context.now()
    guard claim.target.isRecent(at: now) else {
      claim.settle()
      let age = RelativeTime.age(seconds: claim.target.age(at: now))
      throw OppiError(
        .noLaunchTarget,
        "the launch target is \(age) old and was discarded",
        hints: ["create a new one with: oppi new"]
      )
    }
    return claim
  }
}

/// The launch target, in `launch-target.json`: written by `new`, claimed by one `launch`.
struct LaunchTargetStore: Sendable {
  private let path: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    self.files = files
    path = paths.launchTargetFile
  }

  struct Claim: Sendable {
    let target: LaunchTarget
    fileprivate let path: String
    fileprivate let disk: any Disk
    /// Locked, since other launches may not see this process.
    fileprivate let file: (any OpenFile)?

    /// Removes the file when the session exists.
    func settle() {
      try? disk.remove(path)
    }
  }

  private func file(_ path: String) -> RecordFile<LaunchTarget> {
    RecordFile(path, in: files, limit: 4096, reason: { _ in Self.reason })
  }

  private static let reason = "not a launch target; the file was removed"

  /// Stores a target for the next launch, replacing an unclaimed one.
  func write(_ target: LaunchTarget) throws(FileError) {
    try file(path).save(target)
  }

  /// Claims the target by renaming its file, so that only one process gets it; `nil` if there is
  /// none.
  ///
  /// Removes an invalid file; restores one that others could have written.
  func claim() throws(FileError) -> Claim? {
    let claimed = "\(path).\(files.process.id)"
    let held = try? files.hold(path)
    do {
      try files.disk.rename(path, to: claimed)
    } catch {
      if error.isAbsence { return nil }
      throw .cannotWrite(path: path, error)
    }
    do {
      if let target = try file(claimed).load() {
        return Claim(target: target, path: claimed, disk: files.disk, file: held)
      }
    } catch {
      switch error {
      case .corrupt, .unusable, .tooLarge: break
      default:
        try? files.disk.rename(claimed, to: path)
        // The same error, but with the original file name.
        _ = try file(path).load()
        throw error
      }
    }
    try? files.disk.remove(claimed)
    throw .unusable(path: path, reason: Self.reason)
  }

  /// Returns and removes targets of killed launches; a failure if that is not possible.
  func takeAbandoned(at now: Timestamp) -> [Result<LaunchTarget, FileError>] {
    let folder = FileStore.parent(of: path)
    let prefix = FileStore.name(of: path) + "."
    let names: [String]
    do {
      names = try files.names(in: folder)
    } catch {
      return [.failure(error)]
    }
    return names.compactMap { name in
      guard name.hasPrefix(prefix), let process = Int32(name.dropFirst(prefix.count)) else {
        return nil
      }
      do throws(FileError) {
        let isRunning = files.process.isAlive(process)
        return try takeAbandoned("\(folder)/\(name)", isRunning, at: now).map(Result.success)
      } catch {
        return .failure(error)
      }
    }
  }

  /// Takes a target unless a launch holds it, or a process with its id is running.
  ///
  /// Ids are used again: a process that has not used its target in time is another one.
  private func takeAbandoned(
    _ path: String,
    _ isRunning: Bool,
    at now: Timestamp
  ) throws(FileError) -> LaunchTarget? {
    guard let held = try files.hold(path) else { return nil }
    defer { withExtendedLifetime(held) {} }
    let target: LaunchTarget?
    do throws(FileError) {
      target = try file(path).load()
    } catch {
      if isRunning { return nil }
      if error.isDamage { try files.remove(path) }
      throw error
    }
    if isRunning, target?.isRecent(at: now) ?? true { return nil }
    try files.remove(path)
    guard let target else { throw .unusable(path: path, reason: Self.reason) }
    return target
  }
}

extension Context {
  /// A flow that opens a session on any paired server.
  func openNewSession() throws -> OpenNewSession {
    OpenNewSession(servers: try services.serverStore.load().servers, context: services)
  }
}

extension Services {
  var launchTargets: LaunchTargetStore { LaunchTargetStore(paths: paths, files: files) }
}
