// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel

/// The folder in which the program was started.
package struct WorkingDirectory: Sendable {
  /// The path in the shell's `PWD`, if valid, and the real path; empty if the folder was removed.
  package let paths: [FolderPath]
  /// The user's home folder, for `~`.
  package let home: String

  package init(paths: [String], home: String) {
    self.paths = paths.compactMap { FolderPath($0, home: home) }
    self.home = home
  }

  /// Determines the working directory.
  ///
  /// A shell keeps symbolic links of the path in `PWD`, which counts only if it leads to the same
  /// folder: programs that change the folder do not update it.
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
