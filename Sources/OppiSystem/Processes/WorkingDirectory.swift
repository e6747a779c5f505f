// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel

/// The folder that the program was started in.
package struct WorkingDirectory: Sendable {
  /// The path by which its shell came there, where that tells one, and the real one; none where the
  /// folder is gone.
  package let paths: [FolderPath]
  /// The user's home folder, which `~` stands for.
  package let home: String

  package init(paths: [String], home: String) {
    self.paths = paths.compactMap { FolderPath($0, home: home) }
    self.home = home
  }

  /// Asks the system.
  ///
  /// A shell keeps the links that it went through in `PWD`, which counts where it leads to the same
  /// folder: programs that change the folder leave an old one behind.
  package static func current(environment: [String: String]) -> WorkingDirectory {
    var paths: [String] = []
    if let shown = environment["PWD"], shown.hasPrefix("/"), isWorkingDirectory(shown) {
      paths.append(shown)
    }
    if let real = getcwd(nil, 0) {
      defer { free(real) }
      if let path = String(validatingCString: real), path != paths.first { paths.append(path) }
    }
    let ownHome = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return WorkingDirectory(paths: paths, home: ownHome ?? ProcessSetup.homeFolder())
  }

  private static func isWorkingDirectory(_ path: String) -> Bool {
    var (shown, real) = (stat(), stat())
    guard stat(path, &shown) == 0, stat(".", &real) == 0 else { return false }
    return (shown.st_dev, shown.st_ino) == (real.st_dev, real.st_ino)
  }
}
