// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel
import OppiTransport

/// The launch target, in `launch-target.json`: written by `new`, claimed by one `launch`.
package struct LaunchTargetStore: Sendable {
  private let path: String

  package init(paths: XDGPaths) {
    path = paths.launchTargetFile
  }

  /// A target that this process alone has taken.
  package struct Claim: Sendable {
    package let target: LaunchTarget
    fileprivate let path: String

    /// Removes the file, once the session is there.
    package func settle() {
      unlink(path)
    }
  }

  /// Leaves a target for the next launch, in place of one that nobody has claimed.
  package func write(_ target: LaunchTarget) throws(FileError) {
    try JSONFile(path: path).save(target.json)
  }

  /// Takes the target by renaming its file, so that of two processes exactly one gets it; `nil`
  /// where there is none.
  package func claim() throws(FileError) -> Claim? {
    let claimed = "\(path).\(getpid())"
    guard rename(path, claimed) == 0 else {
      if errno == ENOENT { return nil }
      throw .cannotWrite(path: path, SystemError("rename"))
    }
    guard let json = try JSONFile(path: claimed).load(), let target = LaunchTarget(json: json)
    else {
      unlink(claimed)
      throw .unusable(path: path, reason: "not a launch target")
    }
    return Claim(target: target, path: claimed)
  }

  /// Targets that a launch had claimed and then did not live to open; they are forgotten by this.
  package func takeAbandoned() -> [LaunchTarget] {
    let folder = FileStore.parent(of: path)
    let prefix = FileStore.name(of: path) + "."
    var abandoned: [LaunchTarget] = []
    for name in FileStore.names(in: folder) where name.hasPrefix(prefix) {
      guard let process = pid_t(name.dropFirst(prefix.count)), !Self.isAlive(process) else {
        continue
      }
      let file = "\(folder)/\(name)"
      if let json = try? JSONFile(path: file).load(), let target = LaunchTarget(json: json) {
        abandoned.append(target)
      }
      unlink(file)
    }
    return abandoned
  }

  private static func isAlive(_ process: pid_t) -> Bool {
    kill(process, 0) == 0 || errno == EPERM
  }
}
