// SPDX-License-Identifier: MIT

import OppiSystem

extension IntentContext {
  /// Returns a menu desk with the named program and its arguments, or with the first suitable
  /// program.
  func menuDesk(
    _ named: [String]?,
    on screen: MenuDesk.Screen
  ) throws(MenuError) -> MenuDesk {
    try MenuDesk(
      named,
      on: screen,
      environment: environment,
      programs: programs,
      loop: loop,
      timeout: timeout,
      ownPath: programPath
    )
  }
}
