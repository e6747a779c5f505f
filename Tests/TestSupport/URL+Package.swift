// SPDX-License-Identifier: MIT

package import Foundation

extension URL {
  /// The package's own folder, for tests of the files in it.
  package static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
