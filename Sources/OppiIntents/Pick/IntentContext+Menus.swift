// SPDX-License-Identifier: MIT

package import OppiSystem

extension IntentContext {
  /// What shows menus, by the program that the user names, with arguments, else by the first that fits.
  package func menuDesk(
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
