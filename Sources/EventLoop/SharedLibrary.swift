// SPDX-License-Identifier: MIT

import Glibc

/// A system library, loaded at run time by name: it is needed neither to build nor, unless used, to
/// run.
///
/// It is never unloaded, so its functions stay valid.
package struct SharedLibrary {
  private let handle: UnsafeMutableRawPointer

  package enum Failure: Error, Equatable {
    case missing
    /// The library cannot be loaded; `reason` is the message of the loader.
    case unusable(reason: String)
    /// The library lacks a function: it is another library or too old.
    case lacks(function: String)
  }

  /// Loads the first of the named libraries that is installed.
  package init(named names: [String]) throws(Failure) {
    for name in names {
      if let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) {
        self.handle = handle
        return
      }
      let reason = dlerror().map { String(cString: $0) } ?? ""
      // dlerror(3) reports the cause only as text.
      guard reason.hasSuffix(String(cString: strerror(ENOENT))) else {
        throw .unusable(reason: reason)
      }
    }
    throw .missing
  }

  /// Returns the function with the first name that exists; the caller guarantees its type.
  package func find<Function>(_ names: String...) throws(Failure) -> Function {
    for name in names {
      if let address = dlsym(handle, name) { return unsafeBitCast(address, to: Function.self) }
    }
    throw .lacks(function: names[0])
  }
}
