// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

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

    /// Removes the file when the session exists.
    func settle() {
      try? disk.remove(path)
    }
  }

  /// In bytes; larger than any target.
  private static let sizeLimit = 4096

  /// Stores a target for the next launch, replacing an unclaimed one.
  func write(_ target: LaunchTarget) throws(FileError) {
    try JSONFile(path: path, in: files, limit: Self.sizeLimit).save(target.json)
  }

  /// Claims the target by renaming its file, so that only one process gets it; `nil` if there is
  /// none.
  ///
  /// Removes an invalid file; restores one that others could have written.
  func claim() throws(FileError) -> Claim? {
    let claimed = "\(path).\(files.process.id)"
    do {
      try files.disk.rename(path, to: claimed)
    } catch {
      if error.isAbsence { return nil }
      throw .cannotWrite(path: path, error)
    }
    do {
      let json = try JSONFile(path: claimed, in: files, limit: Self.sizeLimit).load()
      if let target = json.flatMap(LaunchTarget.init(json:)) {
        return Claim(target: target, path: claimed, disk: files.disk)
      }
    } catch {
      switch error {
      case .corrupt, .unusable, .tooLarge: break
      default:
        try? files.disk.rename(claimed, to: path)
        // The same error, but with the original file name.
        _ = try JSONFile(path: path, in: files, limit: Self.sizeLimit).load()
        throw error
      }
    }
    try? files.disk.remove(claimed)
    throw .unusable(path: path, reason: "not a launch target; the file was removed")
  }

  /// Returns and removes targets of killed launches; a failure if that is not possible.
  func takeAbandoned() -> [Result<LaunchTarget, FileError>] {
    let folder = FileStore.parent(of: path)
    let prefix = FileStore.name(of: path) + "."
    let names: [String]
    do {
      names = try files.names(in: folder)
    } catch {
      return [.failure(error)]
    }
    return names.compactMap { name in
      guard name.hasPrefix(prefix), let process = Int32(name.dropFirst(prefix.count)),
        !files.process.isAlive(process)
      else { return nil }
      return Result { () throws(FileError) in try takeAbandoned("\(folder)/\(name)") }
    }
  }

  private func takeAbandoned(_ path: String) throws(FileError) -> LaunchTarget {
    let json: JSONValue?
    do throws(FileError) {
      json = try JSONFile(path: path, in: files, limit: Self.sizeLimit).load()
    } catch {
      if error.isDamage { try files.remove(path) }
      throw error
    }
    try files.remove(path)
    guard let target = json.flatMap(LaunchTarget.init(json:)) else {
      throw .unusable(path: path, reason: "not a launch target; the file was removed")
    }
    return target
  }
}
