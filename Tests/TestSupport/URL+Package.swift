// SPDX-License-Identifier: MIT

package import Foundation

extension URL {
  /// The package's folder.
  package static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
