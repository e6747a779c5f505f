// SPDX-License-Identifier: MIT

import Glibc

/// A library of the system, loaded by name when it is first needed: nothing of it is asked for where
/// the program is built, nor where it is not used.
///
/// It stays loaded as long as the process runs, and so do its functions.
package struct SharedLibrary {
  private let handle: UnsafeMutableRawPointer

  /// Why a library is of no use.
  package enum Failure: Error, Equatable {
    /// None is installed under any of its names.
    case missing
    /// It is there and cannot be loaded, in the words of the loader.
    case unusable(reason: String)
    /// It is not the library that was meant, or an older one.
    case lacks(function: String)
  }

  /// Loads the first library that is installed of some names.
  package init(named names: [String]) throws(Failure) {
    for name in names {
      if let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) {
        self.handle = handle
        return
      }
      let reason = dlerror().map { String(cString: $0) } ?? ""
      // The words of the C library are all that it says.
      guard reason.hasSuffix(String(cString: strerror(ENOENT))) else {
        throw .unusable(reason: reason)
      }
    }
    throw .missing
  }

  /// Returns the function that has the first known of some names, which must be of the type that the
  /// caller makes of it.
  package func find<Function>(_ names: String...) throws(Failure) -> Function {
    for name in names {
      if let address = dlsym(handle, name) { return unsafeBitCast(address, to: Function.self) }
    }
    throw .lacks(function: names[0])
  }
}
