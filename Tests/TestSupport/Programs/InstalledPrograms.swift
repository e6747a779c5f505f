// SPDX-License-Identifier: MIT

import Foundation

/// Whether a program is installed.
package func has(_ program: String) -> Bool {
  ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"].contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
  }
}
